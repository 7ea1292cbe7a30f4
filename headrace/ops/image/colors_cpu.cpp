#include <algorithm>
#include <cmath>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/image/colors_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

template <class T>
struct Hsv {
  T h, s, v;  // hue and saturation in [0, 1]
};

template <class T>
Hsv<T> ToHsv(T r, T g, T b) {
  const T v = std::max(r, std::max(g, b)), range = v - std::min(r, std::min(g, b));
  const T norm = T(1) / (T(6) * range);
  T h = r == v   ? norm * (g - b)
        : g == v ? norm * (b - r) + T(2.0 / 6.0)
                 : norm * (r - g) + T(4.0 / 6.0);
  h = range > T(0) ? h : T(0);
  return {h < T(0) ? h + T(1) : h, v > T(0) ? range / v : T(0), v};
}

template <class T>
T Unit(T x) {
  return std::min(std::max(x, T(0)), T(1));
}

struct RgbToHsv {
  template <class T>
  void operator()(const T* rgb, T* out) const {
    const Hsv<T> hsv = ToHsv(rgb[0], rgb[1], rgb[2]);
    out[0] = hsv.h, out[1] = hsv.s, out[2] = hsv.v;
  }
};

struct HsvToRgb {
  template <class T>
  void operator()(const T* hsv, T* out) const {
    const T h = hsv[0] * T(6), s = hsv[1], v = hsv[2], rest = T(1) - s;
    const T r = Unit(std::abs(h - T(3)) - T(1)), g = Unit(T(2) - std::abs(h - T(2))),
            b = Unit(T(2) - std::abs(h - T(4)));
    out[0] = (rest + s * r) * v;
    out[1] = (rest + s * g) * v;
    out[2] = (rest + s * b) * v;
  }
};

// A hue in sixths of a turn, brought into [0, 6); what is no number stays.
float WrapHue(float h) {
  if (!(h < 60 && h > -60)) h = std::fmod(h, 6.0f);
  while (h < 0) h += 6;
  while (h >= 6) h -= 6;
  return h;
}

// Where least, middle and greatest channel of a hue's sixth are.
struct Order {
  int8_t most, middle, least;
};
constexpr Order kSixths[6] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};

int SixthOf(float r, float g, float b) {
  if (r < g) return b < r ? 1 : b > g ? 3 : 2;
  return b < g ? 0 : b > r ? 4 : 5;
}

// The middle channel tells the hue within its sixth, upwards in even ones.
struct TurnHue {
  float sixths;
  void operator()(const float* rgb, float* out) const {
    int sixth = SixthOf(rgb[0], rgb[1], rgb[2]);
    const Order from = kSixths[sixth];
    const float most = rgb[from.most], least = rgb[from.least], range = most - least;
    float h = 0;
    if (most != least) {
      const float part = (rgb[from.middle] - least) / range;
      h = static_cast<float>(sixth) + (sixth % 2 == 0 ? part : 1 - part);
    }
    h = WrapHue(h + sixths);
    sixth = h >= 0 && h < 6 ? static_cast<int>(h) : 5;
    const float part = h - static_cast<float>(sixth);
    const Order to = kSixths[sixth];
    out[to.most] = most;
    out[to.middle] = least + (sixth % 2 == 0 ? part : 1 - part) * range;
    out[to.least] = least;
  }
};

struct ScaleSaturation {
  float scale;
  void operator()(const float* rgb, float* out) const {
    const Hsv<float> hsv = ToHsv(rgb[0], rgb[1], rgb[2]);
    const float chroma = std::min(1.0f, std::max(0.0f, hsv.s * scale)) * hsv.v;
    const float least = hsv.v - chroma, sixths = hsv.h * 6;
    if (!(sixths >= 0 && sixths < 6)) {  // a whole turn, by rounding, or no number
      out[0] = out[1] = out[2] = least;
      return;
    }
    const float within = sixths - 2 * std::floor(sixths / 2);
    const Order to = kSixths[static_cast<int>(sixths)];
    out[to.most] = chroma + least;
    out[to.middle] = chroma * (1 - std::abs(within - 1)) + least;
    out[to.least] = least;
  }
};

Status CheckColored(const Shape& images, int least_rank) {
  if (images.rank() < least_rank) {
    return InvalidArgument("input must be at least ", least_rank, "-D, got shape ",
                           images.ToString());
  }
  if (const int64_t channels = images[images.rank() - 1]; channels != 3) {
    return InvalidArgument("input must have 3 channels but instead has ", channels, " channels.");
  }
  return absl::OkStatus();
}

template <class T, class Pixel>
Status MapPixels(KernelContext& ctx, double ns, Pixel pixel) {
  const Tensor& images = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, images.shape()));
  const T* from = images.data<T>();
  T* to = out->data<T>();
  ctx.workers().ParallelFor(images.num_elements() / 3, ns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) pixel(from + 3 * i, to + 3 * i);
  });
  return absl::OkStatus();
}

template <class Pixel>
Status Convert(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(CheckColored(ctx.input(0).shape(), 1));
  if (ctx.input(0).dtype() == DType::kFloat64) return MapPixels<double>(ctx, 6, Pixel());
  return MapPixels<float>(ctx, 6, Pixel());
}

StatusOr<float> FactorOf(KernelContext& ctx, std::string_view what) {
  const Tensor& factor = ctx.input(1);
  if (!factor.shape().is_scalar()) {
    return InvalidArgument(what, " must be scalar, got shape ", factor.shape().ToString());
  }
  return factor.data<float>()[0];
}

Status ComputeHue(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(CheckColored(ctx.input(0).shape(), 3));
  HR_ASSIGN_OR_RETURN(const float delta, FactorOf(ctx, "delta"));
  return MapPixels<float>(ctx, 10, TurnHue{delta * 6});
}

Status ComputeSaturation(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(CheckColored(ctx.input(0).shape(), 3));
  HR_ASSIGN_OR_RETURN(const float scale, FactorOf(ctx, "scale"));
  return MapPixels<float>(ctx, 10, ScaleSaturation{scale});
}

void AdjustImage(const float* from, int64_t pixels, int64_t channels, float factor,
                 std::vector<double>& sums, float* to) {
  std::fill(sums.begin(), sums.end(), 0.0);
  for (int64_t i = 0; i < pixels; ++i) {
    for (int64_t c = 0; c < channels; ++c) sums[static_cast<size_t>(c)] += from[i * channels + c];
  }
  for (int64_t c = 0; c < channels; ++c) {
    const float mean =
        static_cast<float>(sums[static_cast<size_t>(c)] / static_cast<double>(pixels));
    sums[static_cast<size_t>(c)] = mean;
  }
  for (int64_t i = 0; i < pixels; ++i) {
    for (int64_t c = 0; c < channels; ++c) {
      const float mean = static_cast<float>(sums[static_cast<size_t>(c)]);
      to[i * channels + c] = (from[i * channels + c] - mean) * factor + mean;
    }
  }
}

Status ComputeContrast(KernelContext& ctx) {
  const Tensor& images = ctx.input(0);
  const Shape& shape = images.shape();
  const int rank = shape.rank();
  if (rank < 3) return InvalidArgument("input must be at least 3-D, got shape ", shape.ToString());
  HR_ASSIGN_OR_RETURN(const float factor, FactorOf(ctx, "contrast_factor"));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  const int64_t channels = shape[rank - 1], pixels = shape[rank - 3] * shape[rank - 2];
  const int64_t batch = shape.Product(0, rank - 3), image = pixels * channels;
  if (out->num_elements() == 0) return absl::OkStatus();
  ctx.workers().ParallelFor(batch, 2.0 * static_cast<double>(image),
                            [&](int64_t begin, int64_t end) {
                              std::vector<double> sums(static_cast<size_t>(channels));
                              for (int64_t n = begin; n < end; ++n) {
                                AdjustImage(images.data<float>() + n * image, pixels, channels,
                                            factor, sums, out->data<float>() + n * image);
                              }
                            });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRGBToHSVCpu(const KernelInit& init) {
  return MakeFunctionKernel<Convert<RgbToHsv>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeHSVToRGBCpu(const KernelInit& init) {
  return MakeFunctionKernel<Convert<HsvToRgb>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeAdjustHueCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeHue>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeAdjustSaturationCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeSaturation>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeAdjustContrastCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeContrast>(init);
}

}  // namespace headrace
