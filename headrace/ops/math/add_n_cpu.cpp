#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/math/add_n_kernels.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/math/elementwise_kernels.h"

namespace headrace {
namespace {

class AddNKernel final : public Kernel {
 public:
  AddNKernel(BinaryFunction add, int64_t size) : add_(add), size_(size), inline_only_(1) {}

  Status Compute(KernelContext& ctx) override {
    const Shape& shape = ctx.input(0).shape();
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      if (ctx.input(i).shape() != shape) {
        return InvalidArgument(
            "Inputs to operation ", ctx.node().name(),
            " of type AddN must have the same size and shape.  Input 0: ", shape.ToString(),
            " != input ", i, ": ", ctx.input(i).shape().ToString());
      }
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape));
    std::byte* out = static_cast<std::byte*>(y->raw_data());
    const int n = ctx.num_inputs();
    if (n == 1) {
      if (out != ctx.input(0).raw_data()) y->CopyElementsFrom(ctx.input(0));
      return absl::OkStatus();
    }
    if (n == 2) {
      return add_.RunSame(ctx.input(0).raw_data(), ctx.input(1).raw_data(), out,
                          shape.num_elements(), ctx.workers());
    }
    const auto at = [&](int i, int64_t k) {
      return static_cast<const std::byte*>(ctx.input(i).raw_data()) + k * size_;
    };
    ctx.workers().ParallelFor(shape.num_elements(), 0.2 * n, [&](int64_t begin, int64_t end) {
      // Block by block, so that the running sum stays in the nearest cache.
      for (int64_t k = begin; k < end; k += kBlock) {
        const int64_t count = std::min(kBlock, end - k);
        std::byte* to = out + k * size_;
        (void)add_.RunSame(at(0, k), at(1, k), to, count, inline_only_);
        for (int i = 2; i < n; ++i) (void)add_.RunSame(to, at(i, k), to, count, inline_only_);
      }
    });
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kBlock = 2048;
  const BinaryFunction add_;  // addition has no errors
  const int64_t size_;
  WorkerPool inline_only_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeAddNCpu(const KernelInit& init) {
  const DType type = init.output_type(0);
  const BinaryFunction add = FindBinaryFunction("Add", type, type);
  if (!add.valid()) return Unimplemented("there is no addition of ", DTypeName(type));
  return std::make_unique<AddNKernel>(add, static_cast<int64_t>(SizeOf(type)));
}

}  // namespace headrace
