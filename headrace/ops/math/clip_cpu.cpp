// The loop with the same bounds everywhere is compiled for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/math/clip_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/stream.h"
#include "headrace/ops/math/clip_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"
#include "hwy/highway.h"

#ifndef HEADRACE_OPS_MATH_CLIP_CPU_
#define HEADRACE_OPS_MATH_CLIP_CPU_
namespace headrace {
namespace {

constexpr DTypeSet kClipped = kCpuRealTypes - kOnlyBFloat16;

// max(min(x, high), low), so `low` wins where the bounds cross; NaN stays.
template <class T>
inline T Clip(T x, T low, T high) {
  const T lowered = high < x ? high : x;
  return lowered < low ? low : lowered;
}

// n numbers between the bounds that `low` and `high` point to.
using ClipRow = void (*)(const void* x, const void* low, const void* high, void* y, int64_t n);

}  // namespace
}  // namespace headrace
#endif

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace {

template <class T>
void ClipLoop(const void* x_data, const void* low, const void* high, void* y_data, int64_t n) {
  const T* x = static_cast<const T*>(x_data);
  T* y = static_cast<T*>(y_data);
  const T least = *static_cast<const T*>(low), most = *static_cast<const T*>(high);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T lowered = most < x[i] ? most : x[i];  // as Clip, which is of no instruction set
    y[i] = lowered < least ? least : lowered;
  }
}

}  // namespace

ClipRow FindClipRow(DType type) {
  ClipRow row = nullptr;
  DispatchDType<kClipped>(type, [&]<class T>() { row = ClipLoop<T>; });
  return row;
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {

HWY_EXPORT(FindClipRow);

template <class T>
class ClipKernel final : public Kernel {
 public:
  explicit ClipKernel(ClipRow row) : row_(row) {}

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
          row_(x + first, low, high, to, n);
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
  const ClipRow row_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeClipByValueCpu(const KernelInit& init) {
  const ClipRow row = HWY_DYNAMIC_DISPATCH(FindClipRow)(init.output_type(0));
  std::unique_ptr<Kernel> kernel;
  DispatchDType<kClipped>(init.output_type(0),
                          [&]<class T>() { kernel = std::make_unique<ClipKernel<T>>(row); });
  if (kernel == nullptr)
    return Unimplemented("there is no clipping of ", DTypeName(init.output_type(0)));
  return kernel;
}

}  // namespace headrace
#endif
