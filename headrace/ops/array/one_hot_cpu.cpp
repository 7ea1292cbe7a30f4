#include "headrace/ops/array/constant_kernels.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/one_hot_kernels.h"
#include "headrace/ops/array/strided_copy.h"

namespace headrace {
namespace {

int64_t ClassAt(const Tensor& indices, int64_t i) {
  return indices.dtype() == DType::kUInt8 ? indices.data<uint8_t>()[i] : IntAt(indices, i);
}

class OneHotKernel final : public Kernel {
 public:
  explicit OneHotKernel(int64_t axis) : axis_(axis) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& indices = ctx.input(0);
    const Tensor& depth_tensor = ctx.input(1);
    const int rank = indices.rank() + 1;
    if (axis_ != -1 && (axis_ < 0 || axis_ >= rank)) {
      return InvalidArgument("Expected axis to be -1 or between [0, ", rank,
                             ").  But received: ", axis_);
    }
    if (rank > kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    if (depth_tensor.rank() != 0) {
      return InvalidArgument("depth must be a scalar, but got: ", depth_tensor.shape().ToString());
    }
    const int64_t depth = IntAt(depth_tensor, 0);
    if (depth < 0) return InvalidArgument("depth must be non-negative, got: ", depth);
    for (int i : {2, 3}) {
      if (ctx.input(i).rank() != 0) {
        return InvalidArgument(i == 2 ? "on_value" : "off_value",
                               " must be a scalar, but got: ", ctx.input(i).shape().ToString());
      }
    }
    const int axis = axis_ == -1 ? rank - 1 : static_cast<int>(axis_);
    std::array<int64_t, kMaxRank> dims{};
    for (int i = 0, from = 0; i < rank; ++i) dims[i] = i == axis ? depth : indices.dim(from++);
    HR_ASSIGN_OR_RETURN(const Shape shape, Shape::Make({dims.data(), static_cast<size_t>(rank)}));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    FillElements(ctx.workers(), out->dtype(), out->raw_data(), out->num_elements(),
                 ctx.input(3).raw_data());
    const int64_t inner = indices.shape().Product(axis, indices.rank());
    WorkerPool inline_only(1);
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      const int64_t at = ClassAt(indices, i);
      if (at < 0 || at >= depth) continue;
      FillElements(inline_only, out->dtype(),
                   ElementAt(*out, (i / inner * depth + at) * inner + i % inner), 1,
                   ctx.input(2).raw_data());
    }
    return absl::OkStatus();
  }

 private:
  const int64_t axis_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeOneHotCpu(const KernelInit& init) {
  return std::make_unique<OneHotKernel>(init.Attr<int64_t>("axis"));
}

}  // namespace headrace
