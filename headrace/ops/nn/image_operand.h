// Image tensors as kernels want them: NHWC, in float32 or float64. What is not so is brought there
// and back in scratch memory.
//
//   ImageOperand x_, y_;  // members of a kernel
//   HR_ASSIGN_OR_RETURN(const void* x, x_.Read(ctx, ctx.input(0), nchw, n, c, h * w));
//   HR_ASSIGN_OR_RETURN(void* y, y_.Write(ctx, *out, nchw, n, c, h * w));
//   ... y = f(x) ...
//   y_.Finish(ctx, *out, nchw, n, c, h * w);
//
// Not thread-safe; pointers are good until the next call.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

class ImageOperand {
 public:
  // A tensor of `n` images of `channels` channels and `size` pixels; float16 is widened to float32.
  StatusOr<const void*> Read(KernelContext& ctx, const Tensor& t, bool channels_first, int64_t n,
                             int64_t channels, int64_t size);
  // Where to write a result that Finish brings to `out`, called with the same arguments.
  StatusOr<void*> Write(KernelContext& ctx, Tensor& out, bool channels_first, int64_t n,
                        int64_t channels, int64_t size);
  void Finish(KernelContext& ctx, Tensor& out, bool channels_first, int64_t n, int64_t channels,
              int64_t size);

 private:
  Tensor wide_, turned_;
};

}  // namespace headrace
