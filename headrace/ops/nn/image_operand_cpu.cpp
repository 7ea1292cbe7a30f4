#include "headrace/ops/nn/image_operand.h"

#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/nn/conv_plain.h"

namespace headrace {
namespace {

// With one channel, or one pixel, both layouts are the same.
bool IsTurned(bool channels_first, int64_t channels, int64_t size) {
  return channels_first && channels != 1 && size != 1;
}

}  // namespace

StatusOr<const void*> ImageOperand::Read(KernelContext& ctx, const Tensor& t, bool channels_first,
                                         int64_t n, int64_t channels, int64_t size) {
  const Tensor* from = &t;
  if (t.dtype() == DType::kFloat16) {
    HR_RETURN_IF_ERROR(ctx.Scratch(wide_, DType::kFloat32, t.shape()));
    WidenToFloat(t.raw_data(), t.dtype(), wide_.data<float>(), t.num_elements());
    from = &wide_;
  }
  if (!IsTurned(channels_first, channels, size)) return from->raw_data();
  HR_RETURN_IF_ERROR(ctx.Scratch(turned_, from->dtype(), from->shape()));
  if (from->dtype() == DType::kFloat64) {
    ChannelsToLast(ctx.workers(), n, channels, size, from->data<double>(), turned_.data<double>());
  } else {
    ChannelsToLast(ctx.workers(), n, channels, size, from->data<float>(), turned_.data<float>());
  }
  return turned_.raw_data();
}

StatusOr<void*> ImageOperand::Write(KernelContext& ctx, Tensor& out, bool channels_first, int64_t n,
                                    int64_t channels, int64_t size) {
  const bool half = out.dtype() == DType::kFloat16;
  if (half) HR_RETURN_IF_ERROR(ctx.Scratch(wide_, DType::kFloat32, out.shape()));
  Tensor& to = half ? wide_ : out;
  if (!IsTurned(channels_first, channels, size)) return to.raw_data();
  HR_RETURN_IF_ERROR(ctx.Scratch(turned_, to.dtype(), to.shape()));
  return turned_.raw_data();
}

void ImageOperand::Finish(KernelContext& ctx, Tensor& out, bool channels_first, int64_t n,
                          int64_t channels, int64_t size) {
  const bool half = out.dtype() == DType::kFloat16;
  Tensor& to = half ? wide_ : out;
  if (IsTurned(channels_first, channels, size)) {
    if (to.dtype() == DType::kFloat64) {
      ChannelsToFirst(ctx.workers(), n, channels, size, turned_.data<double>(), to.data<double>());
    } else {
      ChannelsToFirst(ctx.workers(), n, channels, size, turned_.data<float>(), to.data<float>());
    }
  }
  if (half) NarrowFromFloat(wide_.data<float>(), out.dtype(), out.raw_data(), out.num_elements());
}

}  // namespace headrace
