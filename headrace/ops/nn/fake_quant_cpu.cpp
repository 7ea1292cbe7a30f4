#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/fake_quant_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// The levels from min to max, moved so that 0 is one of them.
struct Levels {
  float min = 0, max = 0, scale = 0;
  bool nothing = false;  // both ends are 0

  Levels() = default;
  Levels(float low, float high, float lowest_level, float highest_level) {
    nothing = low == 0 && high == 0;
    if (nothing) return;
    scale = (high - low) / (highest_level - lowest_level);
    const float zero = lowest_level - low / scale;
    const float level = zero < lowest_level    ? lowest_level
                        : zero > highest_level ? highest_level
                                               : std::round(zero);
    min = (lowest_level - level) * scale;
    max = (highest_level - level) * scale;
  }
  float Apply(float x) const {
    const float shifted = std::max(std::min(x, max), min) - min;
    return std::floor(shifted / scale + 0.5f) * scale + min;
  }
};

// What all six ops say of their ranges.
class Quantizer {
 public:
  static StatusOr<Quantizer> From(const KernelInit& init) {
    Quantizer q;
    q.from_attrs_ = init.attrs().Has("min");
    const int64_t bits = init.Attr<int64_t>("num_bits");
    if (bits < 2 || bits > 16)
      return InvalidArgument("num_bits must be between 2 and 16, inclusive, got ", bits);
    q.lowest_ = init.Attr<bool>("narrow_range") ? 1.0f : 0.0f;
    q.highest_ = static_cast<float>((1 << bits) - 1);
    if (q.from_attrs_) {
      const float min = init.Attr<float>("min"), max = init.Attr<float>("max");
      if (!(min < max))
        return InvalidArgument("min has to be smaller than max, was: ", min, " >= ", max);
      q.levels_ = {Levels(min, max, q.lowest_, q.highest_)};
    }
    return q;
  }

  // The levels of one range, or of each channel: from inputs `first` and `first + 1` unless the
  // attributes say.
  StatusOr<std::span<const Levels>> Read(const KernelContext& ctx, const Shape& inputs, int first) {
    if (from_attrs_) return std::span<const Levels>(levels_);
    const Tensor &min = ctx.input(first), &max = ctx.input(first + 1);
    if (min.rank() > 1 || min.shape() != max.shape() ||
        (min.rank() == 1 && (inputs.rank() < 1 || min.dim(0) != inputs[inputs.rank() - 1]))) {
      return InvalidArgument("min of shape ", min.shape().ToString(), " and max of shape ",
                             max.shape().ToString(), " do not belong to inputs of shape ",
                             inputs.ToString());
    }
    levels_.resize(static_cast<size_t>(min.num_elements()));
    for (size_t i = 0; i < levels_.size(); ++i)
      levels_[i] = Levels(min.data<float>()[i], max.data<float>()[i], lowest_, highest_);
    return std::span<const Levels>(levels_);
  }

 private:
  bool from_attrs_ = false;
  float lowest_ = 0, highest_ = 0;
  std::vector<Levels> levels_;
};

class FakeQuantKernel final : public Kernel {
 public:
  explicit FakeQuantKernel(Quantizer quantizer) : quantizer_(std::move(quantizer)) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const std::span<const Levels> levels, quantizer_.Read(ctx, x.shape(), 1));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
    if (y->num_elements() == 0) return absl::OkStatus();
    const float* from = x.data<float>();
    float* to = y->data<float>();
    const int64_t channels = static_cast<int64_t>(levels.size());
    if (channels == 1) {
      const Levels one = levels[0];
      ctx.workers().ParallelFor(x.num_elements(), 1.0, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = one.nothing ? 0.0f : one.Apply(from[i]);
      });
      return absl::OkStatus();
    }
    ctx.workers().ParallelFor(x.num_elements() / channels, 1.5 * static_cast<double>(channels),
                              [&](int64_t begin, int64_t end) {
                                for (int64_t row = begin; row < end; ++row) {
                                  for (int64_t c = 0; c < channels; ++c) {
                                    const Levels& of = levels[static_cast<size_t>(c)];
                                    const int64_t at = row * channels + c;
                                    to[at] = of.nothing ? 0.0f : of.Apply(from[at]);
                                  }
                                }
                              });
    return absl::OkStatus();
  }

 private:
  Quantizer quantizer_;
};

// Inputs: gradients, inputs, and the ranges. Sums of fixed blocks of rows are added in order, so
// that the bits do not depend on the number of threads.
class FakeQuantGradientKernel final : public Kernel {
 public:
  explicit FakeQuantGradientKernel(Quantizer quantizer) : quantizer_(std::move(quantizer)) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor &g = ctx.input(0), &x = ctx.input(1);
    if (g.shape() != x.shape()) {
      return InvalidArgument("gradients and inputs must have one shape, got ", g.shape().ToString(),
                             " and ", x.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(const std::span<const Levels> levels, quantizer_.Read(ctx, x.shape(), 2));
    HR_ASSIGN_OR_RETURN(Tensor * dx, ctx.Output(0, x.shape()));
    const int64_t channels = static_cast<int64_t>(levels.size());
    const int64_t rows = channels == 0 ? 0 : x.num_elements() / channels;
    const int64_t block = std::max<int64_t>(1, 16384 / std::max<int64_t>(1, channels));
    const int64_t blocks = (rows + block - 1) / block;
    sums_.assign(static_cast<size_t>(2 * blocks * channels), 0.0f);
    ctx.workers().ParallelChunks(blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        float* below = sums_.data() + 2 * b * channels;
        for (int64_t row = b * block; row < std::min(rows, (b + 1) * block); ++row) {
          Row(levels, g.data<float>() + row * channels, x.data<float>() + row * channels,
              dx->data<float>() + row * channels, below, below + channels);
        }
      }
    });
    if (ctx.node().num_outputs() == 1) return absl::OkStatus();
    for (int i : {1, 2}) {
      HR_ASSIGN_OR_RETURN(Tensor * total, ctx.Output(i, ctx.input(2).shape()));
      std::fill_n(total->data<float>(), channels, 0.0f);
      for (int64_t b = 0; b < blocks; ++b) {
        const float* part = sums_.data() + (2 * b + i - 1) * channels;
        for (int64_t c = 0; c < channels; ++c) total->data<float>()[c] += part[c];
      }
    }
    return absl::OkStatus();
  }

 private:
  static void Row(std::span<const Levels> levels, const float* g, const float* x, float* dx,
                  float* below, float* above) {
    for (size_t c = 0; c < levels.size(); ++c) {
      const Levels& of = levels[c];
      const bool low = !of.nothing && x[c] < of.min, high = !of.nothing && x[c] > of.max;
      const bool within = of.nothing || (x[c] >= of.min && x[c] <= of.max);
      dx[c] = within ? g[c] : 0.0f;
      below[c] += low ? g[c] : 0.0f;
      above[c] += high ? g[c] : 0.0f;
    }
  }

  Quantizer quantizer_;
  std::vector<float> sums_;  // of each block: below and above the range, for each channel
};

class QuantizeKernel final : public Kernel {
 public:
  explicit QuantizeKernel(const KernelInit& init)
      : signed_(init.Attr<bool>("signed_input")),
        range_given_(init.Attr<bool>("range_given")),
        narrow_(init.attrs().GetOr<bool>("narrow_range", false)),
        half_up_(init.attrs().GetOr<std::string>("round_mode", "HALF_TO_EVEN") == "HALF_UP"),
        bits_(init.attrs().GetOr<int64_t>("num_bits", 0)),
        min_(init.attrs().GetOr<float>("input_min", 0)),
        max_(init.attrs().GetOr<float>("input_max", 0)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    int64_t bits = bits_;
    if (ctx.num_inputs() == 4) {
      HR_ASSIGN_OR_RETURN(bits, IntScalar(ctx.input(3), "num_bits"));
    }
    if (bits < 1 || bits > (signed_ ? 62 : 63)) {
      return InvalidArgument("num_bits is out of range: ", bits, " with signed_input ",
                             signed_ ? "true" : "false");
    }
    for (int i = 1; i < std::min(3, ctx.num_inputs()); ++i) {
      if (ctx.input(i).num_elements() != 1) {
        return InvalidArgument(i == 1 ? "input_min" : "input_max", " must be a scalar, got shape ",
                               ctx.input(i).shape().ToString());
      }
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
    Status status;
    DispatchDType<kFloat32And64>(x.dtype(), [&]<class T>() { status = Run<T>(ctx, bits, *y); });
    return status;
  }

 private:
  template <class T>
  Status Run(KernelContext& ctx, int64_t bits, Tensor& out) const {
    const Tensor& in = ctx.input(0);
    const T* x = in.data<T>();
    T* y = out.data<T>();
    const int64_t size = in.num_elements();
    T low = static_cast<T>(min_), high = static_cast<T>(max_);
    if (range_given_) {
      if (ctx.num_inputs() > 1) {
        low = *ctx.input(1).data<T>();
        high = *ctx.input(2).data<T>();
      }
      if (low > high)
        return InvalidArgument("Invalid range: input_min ", low, " > input_max ", high);
    } else if (size > 0) {
      const auto [least, most] = std::minmax_element(x, x + size);
      low = *least;
      high = *most;
    }
    // The greatest scale that keeps the range within the levels, and 0 where it is.
    const int64_t half = int64_t{1} << (bits - 1);
    const T lowest = static_cast<T>(signed_ ? (narrow_ ? 1 - half : -half) : 0);
    const T highest = static_cast<T>(signed_ ? half - 1 : half - 1 + half);
    constexpr T kMost = std::numeric_limits<T>::max();
    const T from_low = lowest * low > 0 ? lowest / low : kMost;
    const T from_high = highest * high > 0 ? highest / high : kMost;
    T scale, inverse;
    if (from_low < from_high) {
      scale = from_low;
      inverse = low / lowest;
      high = highest * inverse;
    } else {
      scale = from_high;
      inverse = high / highest;
      low = lowest * inverse;
    }
    if (!range_given_) {
      low = std::numeric_limits<T>::lowest();
      high = kMost;
    }
    ctx.workers().ParallelFor(size, 1.0, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T scaled = std::max(std::min(x[i], high), low) * scale;
        y[i] = (half_up_ ? std::floor(scaled + T(0.5)) : std::nearbyint(scaled)) * inverse;
      }
    });
    return absl::OkStatus();
  }

  const bool signed_, range_given_, narrow_, half_up_;
  const int64_t bits_;  // 0: an input says
  const float min_, max_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeFakeQuantCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(Quantizer quantizer, Quantizer::From(init));
  return std::make_unique<FakeQuantKernel>(std::move(quantizer));
}
StatusOr<std::unique_ptr<Kernel>> MakeFakeQuantGradientCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(Quantizer quantizer, Quantizer::From(init));
  return std::make_unique<FakeQuantGradientKernel>(std::move(quantizer));
}
StatusOr<std::unique_ptr<Kernel>> MakeQuantizeAndDequantizeCpu(const KernelInit& init) {
  return std::make_unique<QuantizeKernel>(init);
}

}  // namespace headrace
