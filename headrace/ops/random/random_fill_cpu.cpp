#include <algorithm>
#include <type_traits>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/random/generator.h"
#include "headrace/ops/random/random_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kFillTypes = kFloatTypes;

// A distribution turns the words of the generator into groups of numbers. kGroup: numbers of a
// group. The fixed ones take one block a group. The others take as many words as they need from a
// stretch of their own that nobody else's group reaches.

template <class T>
struct Uniform {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr double kNsPerGroup = 8;
  void operator()(const Philox::Block& w, T* out) const {
    if constexpr (std::is_same_v<T, double>) {
      for (int i = 0; i < 2; ++i) out[i] = UniformDouble(w[2 * i], w[2 * i + 1]);
    } else if constexpr (std::is_same_v<T, float>) {
      for (int i = 0; i < 4; ++i) out[i] = UniformFloat(w[i]);
    } else if constexpr (std::is_same_v<T, Half>) {
      for (int i = 0; i < 4; ++i) out[i] = UniformHalf(w[i]);
    } else {
      for (int i = 0; i < 4; ++i) out[i] = UniformBFloat16(w[i]);
    }
  }
};

template <class T>
struct UniformInt {
  static constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
  static constexpr double kNsPerGroup = 12;
  using Unsigned = std::make_unsigned_t<T>;
  T low;
  Unsigned range;
  void operator()(const Philox::Block& w, T* out) const {
    for (int i = 0; i < kGroup; ++i) {
      const Unsigned bits = sizeof(T) == 8
                                ? static_cast<Unsigned>(w[2 * i] | (uint64_t{w[2 * i + 1]} << 32))
                                : static_cast<Unsigned>(w[i]);
      out[i] = static_cast<T>(static_cast<Unsigned>(low) + bits % range);
    }
  }
};

template <class T>
struct Normal {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr double kNsPerGroup = 40;
  void operator()(const Philox::Block& w, T* out) const {
    if constexpr (std::is_same_v<T, double>) {
      BoxMuller(w[0], w[1], w[2], w[3], &out[0], &out[1]);
    } else {
      for (int i = 0; i < 4; i += 2) {
        float n[2];
        BoxMuller(w[i], w[i + 1], &n[0], &n[1]);
        out[i] = static_cast<T>(n[0]);
        out[i + 1] = static_cast<T>(n[1]);
      }
    }
  }
};

template <class T>
struct Truncated {
  static constexpr int kGroup = std::is_same_v<T, double> ? 2 : 4;
  static constexpr double kNsPerGroup = 40;
  // Blocks from one group's stretch to the next.
  static constexpr uint64_t kStretch = uint64_t{kGroup} * 256 / Philox::kWords;
  static bool Accepted(auto value) { return std::abs(value) < 2; }

  // Fills out[filled, kGroup) from the words that come next.
  static void Complete(PhiloxWords& words, T* out, int filled) {
    while (filled < kGroup) {
      std::conditional_t<std::is_same_v<T, double>, double, float> n[2];
      const uint32_t x0 = words.Next(), x1 = words.Next();
      if constexpr (std::is_same_v<T, double>) {
        const uint32_t x2 = words.Next(), x3 = words.Next();
        BoxMuller(x0, x1, x2, x3, &n[0], &n[1]);
      } else {
        BoxMuller(x0, x1, &n[0], &n[1]);
      }
      for (auto value : n) {
        if (Accepted(value) && filled < kGroup) out[filled++] = static_cast<T>(value);
      }
    }
  }
  void operator()(PhiloxWords& words, T* out) const { Complete(words, out, 0); }
};

// As many groups of `Truncated` at once as `groups`, at most kBatch: function by function over all
// of them, which the processor overlaps, while a test after each number makes it wait. The numbers
// are the same.
constexpr int64_t kBatch = 64;
template <class T>
void DrawBatch(const Truncated<T>& distribution, Philox& generator, int64_t groups, T* out) {
  constexpr int kGroup = Truncated<T>::kGroup;
  if constexpr (std::is_same_v<T, double>) {
    for (int64_t i = 0; i < groups; ++i, out += kGroup) {
      PhiloxWords words(generator);
      distribution(words, out);
      generator.Skip(Truncated<T>::kStretch);
    }
  } else {
    const Philox start = generator;
    float radius[2 * kBatch], angle[2 * kBatch], normal[4 * kBatch];
    for (int64_t i = 0; i < groups; ++i) {
      Philox group = generator;
      const Philox::Block w = group.Next();
      generator.Skip(Truncated<T>::kStretch);
      for (int pair = 0; pair < 2; ++pair) {
        radius[2 * i + pair] = BoxMullerUniform(w[2 * pair]);
        angle[2 * i + pair] = BoxMullerAngle(w[2 * pair + 1]);
      }
    }
    for (int64_t i = 0; i < 2 * groups; ++i) radius[i] = BoxMullerRadius(radius[i]);
    for (int64_t i = 0; i < 2 * groups; ++i) sincosf(angle[i], &normal[2 * i], &normal[2 * i + 1]);
    for (int64_t i = 0; i < 2 * groups; ++i)
      normal[2 * i] *= radius[i], normal[2 * i + 1] *= radius[i];
    for (int64_t i = 0; i < groups; ++i, out += kGroup) {
      int filled = 0;
      for (int at = 0; at < kGroup; ++at) {
        out[filled] = static_cast<T>(normal[kGroup * i + at]);
        filled += Truncated<T>::Accepted(normal[kGroup * i + at]);
      }
      if (filled == kGroup) continue;
      Philox group = start;
      group.Skip(static_cast<uint64_t>(i) * Truncated<T>::kStretch + 1);
      PhiloxWords words(group);
      Truncated<T>::Complete(words, out, filled);
    }
  }
}

template <class D, class T>
void DrawGroup(const D& distribution, Philox& generator, T* out) {
  distribution(generator.Next(), out);
}
template <class T>
void DrawGroup(const Truncated<T>& distribution, Philox& generator, T* out) {
  PhiloxWords words(generator);
  distribution(words, out);
  generator.Skip(Truncated<T>::kStretch);
}

template <class D>
constexpr uint64_t BlocksPerGroup() {
  if constexpr (requires { D::kStretch; }) {
    return D::kStretch;
  } else {
    return 1;
  }
}

// Fills `out`; group i always takes the same blocks, so threads may share the groups in any way.
template <class D, class T>
void Fill(WorkerPool& workers, const Philox& start, const D& distribution, std::span<T> out) {
  const int64_t size = static_cast<int64_t>(out.size());
  const int64_t groups = (size + D::kGroup - 1) / D::kGroup;
  workers.ParallelFor(groups, D::kNsPerGroup, [&](int64_t begin, int64_t end) {
    Philox generator = start;
    generator.Skip(static_cast<uint64_t>(begin) * BlocksPerGroup<D>());
    const int64_t whole = std::min(end, size / D::kGroup);
    if constexpr (requires { D::kStretch; }) {
      for (int64_t i = begin; i < whole; i += kBatch) {
        DrawBatch(distribution, generator, std::min(kBatch, whole - i), out.data() + i * D::kGroup);
      }
    } else {
      for (int64_t i = begin; i < whole; ++i)
        DrawGroup(distribution, generator, out.data() + i * D::kGroup);
    }
    if (whole < end) {
      T last[D::kGroup];
      DrawGroup(distribution, generator, last);
      std::copy_n(last, size - whole * D::kGroup, out.data() + whole * D::kGroup);
    }
  });
}

class RandomKernel : public Kernel {
 public:
  explicit RandomKernel(std::shared_ptr<RandomGenerator> generator)
      : generator_(std::move(generator)) {}

 protected:
  // Allocates the output and reserves its part of the sequence.
  StatusOr<Tensor*> Begin(KernelContext& ctx) {
    HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
    return ctx.Output(0, shape);
  }
  Philox Reserve(const Tensor& out) { return generator_->ReserveForOutputs(out.num_elements()); }

 private:
  std::shared_ptr<RandomGenerator> generator_;
};

template <template <class> class D>
class FillKernel final : public RandomKernel {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(Tensor * out, Begin(ctx));
    const Philox generator = Reserve(*out);
    DispatchDType<kFillTypes>(
        out->dtype(), [&]<class T>() { Fill(ctx.workers(), generator, D<T>(), out->flat<T>()); });
    return absl::OkStatus();
  }
};

class UniformIntKernel final : public RandomKernel {
 public:
  using RandomKernel::RandomKernel;
  Status Compute(KernelContext& ctx) override {
    for (int i : {1, 2}) {
      if (ctx.input(i).rank() != 0) {
        return InvalidArgument(i == 1 ? "minval" : "maxval", " must be 0-D, got shape ",
                               ctx.input(i).shape().ToString());
      }
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, Begin(ctx));
    if (out->num_elements() == 0) return absl::OkStatus();
    return out->dtype() == DType::kInt32 ? Run<int32_t>(ctx, *out) : Run<int64_t>(ctx, *out);
  }

 private:
  template <class T>
  Status Run(KernelContext& ctx, Tensor& out) {
    const T low = ctx.input(1).scalar<T>(), high = ctx.input(2).scalar<T>();
    if (low >= high) return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
    using Unsigned = std::make_unsigned_t<T>;
    const UniformInt<T> distribution{
        low, static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low))};
    Fill(ctx.workers(), Reserve(out), distribution, out.flat<T>());
    return absl::OkStatus();
  }
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<RandomGenerator> generator, RandomGenerator::Of(init));
  return std::make_unique<K>(std::move(generator));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRandomUniformCpu(const KernelInit& init) {
  return Make<FillKernel<Uniform>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRandomUniformIntCpu(const KernelInit& init) {
  return Make<UniformIntKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRandomStandardNormalCpu(const KernelInit& init) {
  return Make<FillKernel<Normal>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeTruncatedNormalCpu(const KernelInit& init) {
  return Make<FillKernel<Truncated>>(init);
}

}  // namespace headrace
