#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/stream.h"
#include "headrace/ops/math/cast_kernels.h"

namespace headrace {
namespace {

class CastKernel final : public Kernel {
 public:
  CastKernel(CastRow row, size_t from_size, size_t to_size)
      : row_(row), from_size_(from_size), to_size_(to_size) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
    const std::byte* from = static_cast<const std::byte*>(x.raw_data());
    std::byte* to = static_cast<std::byte*>(y->raw_data());
    const bool stream = from != to && WorthStreaming(x.num_elements() * to_size_);
    ctx.workers().ParallelFor(x.num_elements(), 0.3, [&](int64_t begin, int64_t end) {
      if (stream) {
        const auto body = [&](int64_t first, int64_t n, void* block) {
          row_(from + first * from_size_, block, n);
        };
        return StreamInBlocks(to, to_size_, begin, end, {{from, from_size_}}, body);
      }
      row_(from + begin * from_size_, to + begin * to_size_, end - begin);
    });
    return absl::OkStatus();
  }

 private:
  const CastRow row_;
  const int64_t from_size_, to_size_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCastCpu(const KernelInit& init) {
  const DType from = init.input_type(0), to = init.output_type(0);
  const CastRow row = FindCastRow(from, to, init.Attr<bool>("Truncate"));
  if (row == nullptr)
    return Unimplemented("there is no conversion from ", DTypeName(from), " to ", DTypeName(to));
  return std::make_unique<CastKernel>(row, SizeOf(from), SizeOf(to));
}

}  // namespace headrace
