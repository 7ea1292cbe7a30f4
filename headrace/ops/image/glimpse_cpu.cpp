#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/image/glimpse_kernels.h"
#include "headrace/ops/image/resize_geometry.h"
#include "headrace/ops/random/philox.h"

namespace headrace {
namespace {

enum class Noise { kUniform, kGaussian, kZero };

// Where a window of `size` pixels around an offset begins, as far out as matters.
int64_t BeginOf(float offset, int64_t image, int64_t size, bool centered, bool normalized) {
  const float pixels = static_cast<float>(image), window = static_cast<float>(size);
  float at = normalized ? offset * pixels : offset;
  if (centered) at = at / 2 + pixels / 2;
  at -= window / 2;
  if (std::isnan(at)) return image;
  return static_cast<int64_t>(std::clamp(at, -window - 1, pixels + 1));
}

struct Window {
  int64_t height, width, channels;  // of the images
  int64_t rows, columns;            // of the glimpses

  int64_t image() const { return height * width * channels; }
  int64_t glimpse() const { return rows * columns * channels; }
};

void FillNoise(Noise noise, const float* image, int64_t pixels, Philox generator, float* out,
               int64_t count) {
  if (noise == Noise::kZero || pixels == 0) return static_cast<void>(std::fill_n(out, count, 0.0f));
  PhiloxWords words(generator);
  if (noise == Noise::kUniform) {
    const auto [low, high] = std::minmax_element(image, image + pixels);
    const float base = *low, range = *high - *low;
    for (int64_t i = 0; i < count; ++i) out[i] = base + range * UniformFloat(words.Next());
    return;
  }
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < pixels; ++i) sum += image[i];
  const double mean = sum / static_cast<double>(pixels);
  for (int64_t i = 0; i < pixels; ++i) squares += (image[i] - mean) * (image[i] - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(pixels));
  for (int64_t i = 0; i < count; i += 2) {
    float a, b;
    const uint32_t word = words.Next();
    BoxMuller(word, words.Next(), &a, &b);
    out[i] = static_cast<float>(mean + deviation * a);
    if (i + 1 < count) out[i + 1] = static_cast<float>(mean + deviation * b);
  }
}

class GlimpseKernel final : public Kernel {
 public:
  GlimpseKernel(const KernelInit& init, Noise noise)
      : centered_(init.Attr<bool>("centered")),
        normalized_(init.Attr<bool>("normalized")),
        noise_(noise) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &images = ctx.input(0), &offsets = ctx.input(2);
    const Shape& shape = images.shape();
    if (shape.rank() != 4)
      return InvalidArgument("input must be 4-dimensional, got shape ", shape.ToString());
    HR_ASSIGN_OR_RETURN(const auto size, SpatialSize(ctx.input(1), "size"));
    if (offsets.shape() != Shape{shape[0], 2}) {
      return InvalidArgument("offsets must have shape [", shape[0], ",2], got ",
                             offsets.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(const Shape glimpses,
                        Shape::Make(std::array<int64_t, 4>{shape[0], size[0], size[1], shape[3]}));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, glimpses));
    const Window w{shape[1], shape[2], shape[3], size[0], size[1]};
    ctx.workers().ParallelFor(
        shape[0], 2.0 * static_cast<double>(w.glimpse()), [&](int64_t begin, int64_t end) {
          for (int64_t n = begin; n < end; ++n) {
            Extract(w, static_cast<uint64_t>(n), images.data<float>() + n * w.image(),
                    offsets.data<float>() + 2 * n, out->data<float>() + n * w.glimpse());
          }
        });
    return absl::OkStatus();
  }

 private:
  void Extract(const Window& w, uint64_t number, const float* image, const float* offset,
               float* out) const {
    const int64_t top = BeginOf(offset[0], w.height, w.rows, centered_, normalized_);
    const int64_t left = BeginOf(offset[1], w.width, w.columns, centered_, normalized_);
    const int64_t first = std::max<int64_t>(left, 0);
    const int64_t count = std::max<int64_t>(std::min(left + w.columns, w.width) - first, 0);
    const bool inside = top >= 0 && top + w.rows <= w.height && count == w.columns;
    if (!inside) FillNoise(noise_, image, w.image(), Philox(number, 0), out, w.glimpse());
    for (int64_t row = 0; count > 0 && row < w.rows; ++row) {
      if (top + row < 0 || top + row >= w.height) continue;
      std::memcpy(out + (row * w.columns + first - left) * w.channels,
                  image + ((top + row) * w.width + first) * w.channels,
                  static_cast<size_t>(count * w.channels) * sizeof(float));
    }
  }

  const bool centered_, normalized_;
  const Noise noise_;
};

}  // namespace

// `noise` is the newer attribute; an empty one leaves it to `uniform_noise`.
StatusOr<std::unique_ptr<Kernel>> MakeExtractGlimpseCpu(const KernelInit& init) {
  const std::string& name = init.Attr<std::string>("noise");
  const bool uniform = init.Attr<bool>("uniform_noise");
  if (uniform && name != "uniform" && !name.empty()) {
    return InvalidArgument("The uniform_noise and noise could not be specified at the same time: ",
                           "noise is '", name, "'");
  }
  Noise noise = Noise::kUniform;
  if (name == "gaussian" || (name.empty() && !uniform)) {
    noise = Noise::kGaussian;
  } else if (name == "zero") {
    noise = Noise::kZero;
  } else if (name != "uniform" && !name.empty()) {
    return InvalidArgument("noise must be uniform, gaussian or zero, got '", name, "'");
  }
  return std::make_unique<GlimpseKernel>(init, noise);
}

}  // namespace headrace
