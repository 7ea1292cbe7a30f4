#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/roll_kernels.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

// Along each rolled axis the input falls into two parts that change places: all combinations are
// copied, one after the other.
class RollCopy {
 public:
  RollCopy(WorkerPool& workers, const Tensor& in, Tensor& out,
           const std::array<int64_t, kMaxRank>& shifts)
      : workers_(workers),
        in_(in),
        out_(out),
        shifts_(shifts),
        strides_(RowMajorStrides(in.shape())) {}

  void Run() { Split(0, 0, 0, CopyView()); }

 private:
  void Split(int axis, int64_t from, int64_t to, CopyView view) {
    if (axis == in_.rank()) {
      StridedCopy(workers_, in_.dtype(), view, ElementAt(out_, to), ElementAt(in_, from));
      return;
    }
    const int64_t size = in_.dim(axis), shift = shifts_[axis], stride = strides_[axis];
    CopyView kept = view;
    kept.Add(size - shift, stride, stride);
    Split(axis + 1, from, to + shift * stride, kept);
    if (shift == 0) return;
    view.Add(shift, stride, stride);
    Split(axis + 1, from + (size - shift) * stride, to, view);
  }

  WorkerPool& workers_;
  const Tensor& in_;
  Tensor& out_;
  const std::array<int64_t, kMaxRank> shifts_, strides_;
};

Status RollKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& shift = ctx.input(1);
  const Tensor& axis = ctx.input(2);
  if (in.rank() < 1) return InvalidArgument("input must be 1-D or higher");
  if (shift.rank() > 1) {
    return InvalidArgument("shift must be a scalar or a 1-D vector. Found: ",
                           shift.shape().ToString());
  }
  if (axis.rank() > 1) {
    return InvalidArgument("axis must be a scalar or a 1-D vector. Found: ",
                           axis.shape().ToString());
  }
  if (shift.shape() != axis.shape()) {
    return InvalidArgument("shift and axis must have the same size, got shapes ",
                           shift.shape().ToString(), " and ", axis.shape().ToString());
  }
  std::array<int64_t, kMaxRank> shifts{};
  for (int64_t i = 0; i < axis.num_elements(); ++i) {
    int64_t at = IntAt(axis, i);
    if (at < 0) at += in.rank();
    if (at < 0 || at >= in.rank()) {
      return InvalidArgument("axis ", IntAt(axis, i), " is out of range for an input of rank ",
                             in.rank());
    }
    const int64_t size = std::max<int64_t>(1, in.dim(static_cast<int>(at)));
    int64_t& total = shifts[static_cast<size_t>(at)];
    total = (total + IntAt(shift, i) % size + size) % size;
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
  if (in.num_elements() > 0) RollCopy(ctx.workers(), in, *out, shifts).Run();
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRollCpu(const KernelInit& init) {
  return MakeFunctionKernel<RollKernel>(init);
}

}  // namespace headrace
