
#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/random/generator.h"
#include "headrace/ops/random/random_fill_inl.h"
#include "headrace/ops/random/random_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

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
    DispatchDType<kFloatTypes>(out->dtype(), [&]<class T>() {
      random::Fill(ctx.workers(), generator, D<T>(), out->flat<T>());
    });
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
    const random::UniformInt<T> distribution{
        low, static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low))};
    random::Fill(ctx.workers(), Reserve(out), distribution, out.flat<T>());
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
  return Make<FillKernel<random::Uniform>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRandomUniformIntCpu(const KernelInit& init) {
  return Make<UniformIntKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRandomStandardNormalCpu(const KernelInit& init) {
  return Make<FillKernel<random::Normal>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeTruncatedNormalCpu(const KernelInit& init) {
  return Make<FillKernel<random::Truncated>>(init);
}

}  // namespace headrace
