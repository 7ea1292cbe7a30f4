#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/reverse_kernels.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

Status ReverseAxes(KernelContext& ctx, uint32_t axes) {
  const Tensor& in = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
  if (out->num_elements() == 0) return absl::OkStatus();
  const auto strides = RowMajorStrides(in.shape());
  CopyView view;
  int64_t first = 0;
  for (int i = 0; i < in.rank(); ++i) {
    const bool reversed = (axes >> i & 1) != 0;
    if (reversed) first += (in.dim(i) - 1) * strides[i];
    view.Add(in.dim(i), strides[i], reversed ? -strides[i] : strides[i]);
  }
  StridedCopy(ctx.workers(), in.dtype(), view, out->raw_data(), ElementAt(in, first));
  return absl::OkStatus();
}

Status ReverseKernel(KernelContext& ctx) {
  const Tensor& dims = ctx.input(1);
  if (dims.rank() != 1) return InvalidArgument("'dims' must be 1-dimension, not ", dims.rank());
  if (dims.num_elements() != ctx.input(0).rank()) {
    return InvalidArgument(
        "'dims' must have the same number of values as 'input' has dimensions. 'input' has ",
        ctx.input(0).rank(), "'dims' has ", dims.num_elements(), " values");
  }
  uint32_t axes = 0;
  for (int i = 0; i < ctx.input(0).rank(); ++i) axes |= dims.data<bool>()[i] ? 1u << i : 0u;
  return ReverseAxes(ctx, axes);
}

Status ReverseV2Kernel(KernelContext& ctx) {
  const int rank = ctx.input(0).rank();
  HR_ASSIGN_OR_RETURN(const IntValues stated, IntValues::From(ctx.input(1), "axis"));
  uint32_t axes = 0;
  for (int i = 0; i < stated.size(); ++i) {
    const int64_t axis = stated[i] < 0 ? stated[i] + rank : stated[i];
    if (axis < 0 || axis >= rank) {
      return InvalidArgument("'axis'[", i, "] = ", stated[i], " is out of valid range [0, ",
                             rank - 1);
    }
    if ((axes >> axis & 1) != 0)
      return InvalidArgument("axis ", axis, " specified more than once.");
    axes |= 1u << axis;
  }
  return ReverseAxes(ctx, axes);
}

class ReverseSequenceKernel final : public Kernel {
 public:
  ReverseSequenceKernel(int64_t seq_dim, int64_t batch_dim)
      : seq_dim_(seq_dim), batch_dim_(batch_dim) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    const Tensor& lengths = ctx.input(1);
    if (lengths.rank() != 1)
      return InvalidArgument("seq_lens input must be 1-dim, not ", lengths.rank());
    if (batch_dim_ < 0 || seq_dim_ < 0 || batch_dim_ >= in.rank() || seq_dim_ >= in.rank() ||
        batch_dim_ == seq_dim_) {
      return InvalidArgument("batch_dim ", batch_dim_, " and seq_dim ", seq_dim_,
                             " must be two different dimensions of an input of rank ", in.rank());
    }
    const int seq = static_cast<int>(seq_dim_), batch = static_cast<int>(batch_dim_);
    if (lengths.num_elements() != in.dim(batch)) {
      return InvalidArgument("Length of seq_lens != input.dims(", batch, "), (",
                             lengths.num_elements(), " vs. ", in.dim(batch), ")");
    }
    for (int64_t b = 0; b < in.dim(batch); ++b) {
      const int64_t length = IntAt(lengths, b);
      if (length < 0) return InvalidArgument("seq_lens(", b, ") < 0");
      if (length > in.dim(seq)) return InvalidArgument("seq_lens(", b, ") > input.dims(", seq, ")");
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    const auto strides = RowMajorStrides(in.shape());
    for (int64_t b = 0; b < in.dim(batch); ++b) {
      const int64_t length = IntAt(lengths, b), offset = b * strides[batch];
      CopyPart(ctx.workers(), in, *out, strides, seq, batch, length, true, offset);
      CopyPart(ctx.workers(), in, *out, strides, seq, batch, length, false, offset);
    }
    return absl::OkStatus();
  }

 private:
  // The reversed part [0, length) of the sequence, or what comes after it.
  static void CopyPart(WorkerPool& workers, const Tensor& in, Tensor& out,
                       const std::array<int64_t, kMaxRank>& strides, int seq, int batch,
                       int64_t length, bool reversed, int64_t offset) {
    const int64_t count = reversed ? length : in.dim(seq) - length;
    if (count == 0) return;
    CopyView view;
    for (int i = 0; i < in.rank(); ++i) {
      if (i == batch) continue;
      const bool along = i == seq;
      view.Add(along ? count : in.dim(i), strides[i], along && reversed ? -strides[i] : strides[i]);
    }
    const int64_t to = offset + (reversed ? 0 : length * strides[seq]);
    const int64_t from = offset + (reversed ? length - 1 : length) * strides[seq];
    StridedCopy(workers, in.dtype(), view, ElementAt(out, to), ElementAt(in, from));
  }

  const int64_t seq_dim_, batch_dim_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeReverseCpu(const KernelInit& init) {
  return MakeFunctionKernel<ReverseKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeReverseV2Cpu(const KernelInit& init) {
  return MakeFunctionKernel<ReverseV2Kernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeReverseSequenceCpu(const KernelInit& init) {
  return std::make_unique<ReverseSequenceKernel>(init.Attr<int64_t>("seq_dim"),
                                                 init.Attr<int64_t>("batch_dim"));
}

}  // namespace headrace
