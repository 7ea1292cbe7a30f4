// Gamma and Poisson samples. Sample i takes its numbers from a stretch of its own, so that threads
// may share the samples in any way.
#include <cmath>
#include <cstring>
#include <limits>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/elementwise_rows_inl.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/special_functors.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/random/generator.h"
#include "headrace/ops/random/random_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kRates = kIeeeFloats | kSignedIndex;
constexpr uint64_t kStretch = 256;  // blocks of a sample

// Uniform numbers from blocks, the last of a block first, as TensorFlow's samplers take them.
class Uniforms {
 public:
  explicit Uniforms(Philox& generator) : generator_(generator) {}
  double Next() {
    if (left_ == 0) {
      const Philox::Block w = generator_.Next();
      for (int i = 0; i < 2; ++i) values_[i] = UniformDouble(w[2 * i], w[2 * i + 1]);
      left_ = 2;
    }
    return values_[--left_];
  }

 private:
  Philox& generator_;
  double values_[2] = {};
  int left_ = 0;
};

// Source: Marsaglia and Tsang, 2000; below 1 by the power of a uniform number.
double GammaSample(double alpha, Philox generator) {
  Uniforms uniforms(generator);
  if (alpha == 1) return -std::log1p(-uniforms.Next());
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3), c = 1.0 / 3 / std::sqrt(d);
  double normals[2];
  int left = 0;
  for (;;) {
    if (left == 0) {
      const Philox::Block w = generator.Next();
      BoxMuller(w[0], w[1], w[2], w[3], &normals[0], &normals[1]);
      left = 2;
    }
    const double x = normals[--left];
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = uniforms.Next();
    if (u < 1 - 0.0331 * (x * x) * (x * x) ||
        std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      const double sample = d * v;
      return small ? sample * std::pow(uniforms.Next(), 1 / alpha) : sample;
    }
  }
}

// `most`: the largest number that the result's type holds. Source: Knuth's products of uniform
// numbers for small rates; Hoermann, 1993.
double PoissonSample(double rate, double most, Philox generator) {
  Uniforms uniforms(generator);
  if (rate < 10) {
    const double limit = std::exp(-rate);
    double product = 1, count = 0;
    for (;;) {
      product *= uniforms.Next();
      if (product <= limit && count <= most) return count;
      count += 1;
    }
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (;;) {
    const double u = uniforms.Next() - 0.5, v = uniforms.Next();
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > most) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    const double s = std::log(v * inverse_alpha / (a / (shifted * shifted) + b));
    const double t = -rate + k * log_rate - fn::Lgamma{}(k + 1);
    if (s <= t) return k;
  }
}

class SampleKernel : public Kernel {
 public:
  explicit SampleKernel(std::shared_ptr<RandomGenerator> generator)
      : generator_(std::move(generator)) {}

 protected:
  // Fills output 0, [shape..., parameters...]: out[i * n + p] is sample i of parameter p.
  template <class T, class Draw>
  Status Fill(KernelContext& ctx, double ns, Draw draw) {
    HR_ASSIGN_OR_RETURN(Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    const int64_t samples = shape.num_elements();
    const Shape& parameters = ctx.input(1).shape();
    if (shape.rank() + parameters.rank() > kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
    for (const int64_t dim : parameters.dims()) shape.Append(dim);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    const int64_t n = parameters.num_elements();
    const Philox start = generator_->ReserveForOutputs(samples * n);
    T* y = out->data<T>();
    ctx.workers().ParallelFor(samples * n, ns, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        Philox mine = start;
        mine.Skip(kStretch * static_cast<uint64_t>(i));
        y[i % samples * n + i / samples] = draw(i / samples, mine);
      }
    });
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<RandomGenerator> generator_;
};

class GammaKernel final : public SampleKernel {
 public:
  using SampleKernel::SampleKernel;
  Status Compute(KernelContext& ctx) override {
    Status status;
    DispatchDType<kIeeeFloats>(ctx.output_type(0), [&]<class T>() {
      const T* alpha = ctx.input(1).data<T>();
      status = Fill<T>(ctx, 150, [alpha](int64_t p, const Philox& generator) {
        const double a = static_cast<double>(alpha[p]);
        return static_cast<T>(a > 0 && a < std::numeric_limits<double>::infinity()
                                  ? GammaSample(a, generator)
                                  : std::numeric_limits<double>::quiet_NaN());
      });
    });
    return status;
  }
};

class PoissonKernel final : public SampleKernel {
 public:
  using SampleKernel::SampleKernel;
  Status Compute(KernelContext& ctx) override {
    Status status;
    DispatchDType<kRates>(ctx.input(1).dtype(), [&]<class R>() {
      DispatchDType<kRates>(ctx.output_type(0), [&]<class T>() { status = Run<R, T>(ctx); });
    });
    return status;
  }

 private:
  template <class R, class T>
  Status Run(KernelContext& ctx) {
    const R* rates = ctx.input(1).data<R>();
    double most;
    if constexpr (std::is_same_v<T, Half>) {
      most = 65504;
    } else {
      most = static_cast<double>(std::numeric_limits<T>::max());
    }
    return Fill<T>(ctx, 150, [rates, most](int64_t p, const Philox& generator) {
      const double rate = static_cast<double>(rates[p]);
      if (!(rate >= 0 && rate < std::numeric_limits<double>::infinity())) return NotANumber<T>();
      return static_cast<T>(PoissonSample(rate, most, generator));
    });
  }

  template <class T>
  static T NotANumber() {
    if constexpr (std::is_integral_v<T>) {
      return std::numeric_limits<T>::min();
    } else {
      return static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    }
  }
};

struct SampleDerivative {
  template <class T>
  T operator()(T alpha, T sample) const {
    return static_cast<T>(
        fn::GammaSampleDerivative(static_cast<double>(alpha), static_cast<double>(sample)));
  }
};

// Source: TensorFlow RandomCrop.
class CropKernel final : public Kernel {
 public:
  explicit CropKernel(std::shared_ptr<RandomGenerator> generator)
      : generator_(std::move(generator)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& image = ctx.input(0);
    const Tensor& size = ctx.input(1);
    if (image.rank() != 3)
      return InvalidArgument("image must be 3-dimensional, got shape ", image.shape().ToString());
    if (size.rank() != 1 || size.dim(0) != 2)
      return InvalidArgument("size must have 2 elements, got shape ", size.shape().ToString());
    const int64_t height = size.data<int64_t>()[0], width = size.data<int64_t>()[1];
    if (height < 0 || width < 0)
      return InvalidArgument("size must not be negative, got [", height, ", ", width, "]");
    if (image.dim(1) < width) {
      return FailedPrecondition("width must be >= target_width: width = ", image.dim(1),
                                ", target_width = ", width);
    }
    if (image.dim(0) < height) {
      return FailedPrecondition("height must be >= target_height: height = ", image.dim(0),
                                ", target_height = ", height);
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {height, width, image.dim(2)}));
    PhiloxWords words(generator_->Reserve(1));
    const auto offset = [&](int64_t whole, int64_t part) {
      return whole > part ? static_cast<int64_t>(words.Next() % (whole - part + 1)) : 0;
    };
    int64_t top = 0, left = 0;
    if (image.dim(0) != height || image.dim(1) != width) {
      left = offset(image.dim(1), width);
      top = offset(image.dim(0), height);
    }
    const int64_t bytes = image.dim(2) * static_cast<int64_t>(SizeOf(image.dtype()));
    const char* from = static_cast<const char*>(image.raw_data());
    char* to = static_cast<char*>(out->raw_data());
    for (int64_t y = 0; y < height; ++y) {
      std::memcpy(to + y * width * bytes, from + ((top + y) * image.dim(1) + left) * bytes,
                  static_cast<size_t>(width * bytes));
    }
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<RandomGenerator> generator_;
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<RandomGenerator> generator, RandomGenerator::Of(init));
  return std::make_unique<K>(std::move(generator));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRandomGammaCpu(const KernelInit& init) {
  return Make<GammaKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRandomPoissonCpu(const KernelInit& init) {
  return Make<PoissonKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRandomCropCpu(const KernelInit& init) {
  return Make<CropKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRandomGammaGradCpu(const KernelInit& init) {
  const DType type = init.input_type(0);
  return MakeBinaryKernel(BinaryFunction(
      HWY_NAMESPACE::BinaryRowOf<SampleDerivative, kFloat32And64>(type), type, type, 400));
}

}  // namespace headrace
