// ParameterizedTruncatedNormal. Source: Robert, Simulation of truncated normal variables, 1995; the
// order in which numbers are drawn is that of TensorFlow's kernel on one thread.
#include <algorithm>
#include <cmath>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/random/generator.h"
#include "headrace/ops/random/random_fill_inl.h"
#include "headrace/ops/random/random_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr int kMostTries = 1000;
constexpr int kMinValues = 3, kMaxValues = 4;  // inputs
constexpr int64_t kBatch = 100;  // samples of a batch when all have the same parameters
constexpr DTypeSet kTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

// A float16 whose arithmetic is rounded after every step.
struct Rounded {
  float value = 0;
  Rounded() = default;
  explicit Rounded(double v) : value(static_cast<float>(Half(static_cast<float>(v)))) {}
  friend Rounded operator+(Rounded a, Rounded b) { return Rounded(a.value + b.value); }
  friend Rounded operator-(Rounded a, Rounded b) { return Rounded(a.value - b.value); }
  friend Rounded operator*(Rounded a, Rounded b) { return Rounded(a.value * b.value); }
  friend Rounded operator/(Rounded a, Rounded b) { return Rounded(a.value / b.value); }
  friend Rounded operator-(Rounded a) { return Rounded(-a.value); }
  friend auto operator<=>(Rounded a, Rounded b) { return a.value <=> b.value; }
};
Rounded sqrt(Rounded x) {
  return Rounded(std::sqrt(x.value));
}
Rounded exp(Rounded x) {
  return Rounded(std::exp(x.value));
}
Rounded log(Rounded x) {
  return Rounded(std::log(x.value));
}
bool isfinite(Rounded x) {
  return std::isfinite(x.value);
}

template <class T>
using Number = std::conditional_t<std::is_same_v<T, Half>, Rounded, T>;

template <class T>
Number<T> ToNumber(T x) {
  if constexpr (std::is_same_v<T, Half>) {
    return Rounded(static_cast<float>(x));
  } else {
    return x;
  }
}
inline Half FromNumber(Rounded x) {
  return Half(x.value);
}
inline float FromNumber(float x) {
  return x;
}
inline double FromNumber(double x) {
  return x;
}

// Draws groups of uniform or normal numbers from one sequence.
template <class T>
class Source {
 public:
  static constexpr int kGroup = random::Uniform<T>::kGroup;
  explicit Source(const Philox& generator) : generator_(generator) {}
  void Uniforms(Number<T>* out) { Draw(random::Uniform<T>(), out); }
  void Normals(Number<T>* out) { Draw(random::Normal<T>(), out); }

 private:
  template <class D>
  void Draw(const D& distribution, Number<T>* out) {
    T group[kGroup];
    distribution(generator_.Next(), group);
    for (int i = 0; i < kGroup; ++i) out[i] = ToNumber(group[i]);
  }
  Philox generator_;
};

template <class T>
struct Bounds {
  using N = Number<T>;
  N mean, deviation, low, high;

  Status Check() const {
    using std::isfinite;
    if (deviation > N(0) && low < high && (isfinite(low) || isfinite(high)))
      return absl::OkStatus();
    return InvalidArgument("Invalid parameters");
  }
};

// Fills out[0, n).
template <class T>
Status FillBatch(Source<T>& source, Bounds<T> bounds, T* out, int64_t n) {
  using N = Number<T>;
  using std::exp;
  using std::log;
  using std::sqrt;
  constexpr int kGroup = Source<T>::kGroup;
  HR_RETURN_IF_ERROR(bounds.Check());
  N low = bounds.low, high = bounds.high, deviation = bounds.deviation;
  const N mean = bounds.mean;
  using std::isfinite;
  if ((!isfinite(low) && low < N(0)) || high < mean) {  // the other way round
    std::swap(low, high);
    deviation = -deviation;
  }
  const N norm_low = (low - mean) / deviation, norm_high = (high - mean) / deviation;
  const N root = sqrt((norm_low * norm_low) + N(4));
  const N cutoff = N(2) * exp(N(0.5) + (norm_low * (norm_low - root)) / N(4)) / (norm_low + root);
  const N width = norm_high - norm_low;
  const N inside(1.3);
  int64_t done = 0;
  int tries = 0;
  const auto take = [&](N x) {
    out[done++] = FromNumber(x * deviation + mean);
    tries = 0;
    return done == n;
  };
  const auto failed = [] {
    return Internal("TruncatedNormal rejection sampler failed to accept a sample.");
  };
  N a[kGroup], b[kGroup];
  if ((norm_low < -inside && norm_high >= N(0)) || (norm_high > inside && norm_low <= N(0))) {
    while (done < n) {  // normal numbers, those outside rejected
      source.Normals(a);
      for (int i = 0; i < kGroup; ++i) {
        if (a[i] >= norm_low && a[i] <= norm_high) {
          if (take(a[i])) break;
        } else if (++tries > kMostTries) {
          return failed();
        }
      }
    }
  } else if (width < cutoff) {  // uniform ones, kept in proportion to the density
    const N plus = norm_low < N(0) ? N(0) : norm_low * norm_low;
    while (done < n) {
      source.Uniforms(a);
      source.Uniforms(b);
      for (int i = 0; i < kGroup; ++i) {
        const N z = a[i] * width + norm_low;
        if (b[i] <= exp((plus - z * z) / N(2))) {
          if (take(z)) break;
        } else if (++tries >= kMostTries) {
          return failed();
        }
      }
    }
  } else {  // exponential ones
    const N alpha = (norm_low + sqrt((norm_low * norm_low) + N(4))) / N(2);
    while (done < n) {
      source.Uniforms(a);
      for (int i = 0; i + 1 < kGroup; i += 2) {
        const N z = -log(a[i]) / alpha + norm_low;
        const N x = norm_low < alpha ? alpha - z : norm_low - alpha;
        if (a[i + 1] <= exp(-x * x / N(2)) && z < norm_high) {
          if (take(z)) break;
        } else if (++tries >= kMostTries) {
          return failed();
        }
      }
    }
  }
  return absl::OkStatus();
}

class BoundedNormalKernel final : public Kernel {
 public:
  explicit BoundedNormalKernel(std::shared_ptr<RandomGenerator> generator)
      : generator_(std::move(generator)) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    if (shape.rank() < 1) return InvalidArgument("Shape tensor must not be empty, got []");
    int64_t batches = shape.dim(0), of_batch = shape.Product(1, shape.rank());
    const int64_t size = shape.num_elements();
    // TensorFlow looks at the ranks of the bounds, not at how many they are; which batch a sample
    // belongs to decides its bits.
    bool alike = ctx.input(kMinValues).rank() == 0 && ctx.input(kMaxValues).rank() == 0;
    for (int i = 1; i < 5; ++i) {
      const Tensor& parameter = ctx.input(i);
      if (parameter.rank() > 1 ||
          (parameter.num_elements() != 1 && parameter.num_elements() != batches)) {
        return InvalidArgument(
            "Input ", ctx.node().op().inputs()[static_cast<size_t>(i)].name,
            " should have length 1 or shape[0], got shape: ", parameter.shape().ToString());
      }
      alike = alike && parameter.num_elements() == 1;
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    if (size == 0) return absl::OkStatus();
    if (alike) {
      batches = (size + kBatch - 1) / kBatch;
      of_batch = kBatch;
    }
    const Philox start =
        generator_->Reserve(static_cast<uint64_t>(batches * 2 * kMostTries * (of_batch + 3) / 4));
    Status status;
    DispatchDType<kTypes>(out->dtype(), [&]<class T>() {
      Source<T> source(start);
      for (int64_t b = 0; status.ok() && b < batches; ++b) {
        const auto parameter = [&](int i) {
          const Tensor& values = ctx.input(i);
          return ToNumber(values.data<T>()[values.num_elements() == 1 ? 0 : b]);
        };
        const Bounds<T> bounds{parameter(1), parameter(2), parameter(3), parameter(4)};
        const int64_t begin = b * of_batch, end = std::min(begin + of_batch, size);
        if (begin < end) status = FillBatch<T>(source, bounds, out->data<T>() + begin, end - begin);
      }
    });
    return status;
  }

 private:
  std::shared_ptr<RandomGenerator> generator_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeParameterizedTruncatedNormalCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<RandomGenerator> generator, RandomGenerator::Of(init));
  return std::make_unique<BoundedNormalKernel>(std::move(generator));
}

}  // namespace headrace
