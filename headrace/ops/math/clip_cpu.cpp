#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/stream.h"
#include "headrace/ops/math/clip_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

template <class T>
class ClipKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    const Tensor& t = ctx.input(0);
    for (int i = 1; i <= 2; ++i) {
      if (ctx.input(i).shape() == t.shape() || ctx.input(i).shape().is_scalar()) continue;
      return InvalidArgument(i == 1 ? "clip_value_min" : "clip_value_max",
                             " must be a scalar or of the shape of t ", t.shape().ToString(),
                             ", got ", ctx.input(i).shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, t.shape()));
    const T *x = t.data<T>(), *low = ctx.input(1).data<T>(), *high = ctx.input(2).data<T>();
    const int64_t low_step = ctx.input(1).shape() == t.shape() ? 1 : 0;
    const int64_t high_step = ctx.input(2).shape() == t.shape() ? 1 : 0;
    T* out = y->data<T>();
    constexpr int64_t kSize = sizeof(T);
    const bool stream = out != x && WorthStreaming(t.num_elements() * kSize);
    ctx.workers().ParallelFor(t.num_elements(), 0.3, [&](int64_t begin, int64_t end) {
      if (low_step == 0 && high_step == 0) {
        const auto clip = [&](int64_t first, int64_t n, void* to) {
          const T* from = x + first;
          const T least = *low, most = *high;
          T* clipped = static_cast<T*>(to);
#pragma GCC ivdep
          for (int64_t i = 0; i < n; ++i) clipped[i] = Clip(from[i], least, most);
        };
        if (stream) return StreamInBlocks(out, kSize, begin, end, {{x, kSize}}, clip);
        clip(begin, end - begin, out + begin);
      } else {
        for (int64_t i = begin; i < end; ++i)
          out[i] = Clip(x[i], low[i * low_step], high[i * high_step]);
      }
    });
    return absl::OkStatus();
  }

 private:
  // max(min(x, high), low), so `low` wins where the bounds cross; NaN stays.
  static T Clip(T x, T low, T high) {
    const T lowered = high < x ? high : x;
    return lowered < low ? low : lowered;
  }
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeClipByValueCpu(const KernelInit& init) {
  std::unique_ptr<Kernel> kernel;
  DispatchDType<kCpuRealTypes - kOnlyBFloat16>(
      init.output_type(0), [&]<class T>() { kernel = std::make_unique<ClipKernel<T>>(); });
  if (kernel == nullptr)
    return Unimplemented("there is no clipping of ", DTypeName(init.output_type(0)));
  return kernel;
}

}  // namespace headrace
