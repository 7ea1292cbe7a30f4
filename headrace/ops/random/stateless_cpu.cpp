#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/random/multinomial_draw.h"
#include "headrace/ops/random/random_fill_inl.h"
#include "headrace/ops/random/random_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// The generator that a seed names: the seed is scrambled by the generator itself, so that any seed
// is as good as another.
StatusOr<Philox> GeneratorOf(const Tensor& seed) {
  if (seed.rank() != 1 || seed.dim(0) != 2)
    return InvalidArgument("seed must have shape [2], not ", seed.shape().ToString());
  constexpr uint64_t kKey = 0x02461e293ec8f720;
  Philox mixer(kKey, static_cast<uint64_t>(IntAt(seed, 1)));
  mixer.Skip(static_cast<uint64_t>(IntAt(seed, 0)));
  const Philox::Block mix = mixer.Next();
  return Philox(mix[0] | uint64_t{mix[1]} << 32, mix[2] | uint64_t{mix[3]} << 32);
}

template <template <class> class D>
Status FillFromSeed(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const Philox generator, GeneratorOf(ctx.input(1)));
  HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  DispatchDType<kFloatTypes>(out->dtype(), [&]<class T>() {
    random::Fill(ctx.workers(), generator, D<T>(), out->flat<T>());
  });
  return absl::OkStatus();
}

template <class T>
Status FillIntegers(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const Philox generator, GeneratorOf(ctx.input(1)));
  for (int i : {2, 3}) {
    if (ctx.input(i).rank() != 0) {
      return InvalidArgument(i == 2 ? "minval" : "maxval", " must be 0-D, got shape ",
                             ctx.input(i).shape().ToString());
    }
  }
  const T low = ctx.input(2).scalar<T>(), high = ctx.input(3).scalar<T>();
  HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(0), "shape"));
  if (low >= high && shape.num_elements() > 0)
    return InvalidArgument("Need minval < maxval, got ", low, " >= ", high);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  using Unsigned = std::make_unsigned_t<T>;
  const random::UniformInt<T> distribution{
      low, static_cast<Unsigned>(static_cast<Unsigned>(high) - static_cast<Unsigned>(low))};
  random::Fill(ctx.workers(), generator, distribution, out->flat<T>());
  return absl::OkStatus();
}

Status DrawFromSeed(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const int64_t samples, CheckMultinomial(ctx.input(0), ctx.input(1)));
  HR_ASSIGN_OR_RETURN(const Philox generator, GeneratorOf(ctx.input(2)));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {ctx.input(0).dim(0), samples}));
  DrawMultinomial(ctx.input(0), samples, generator, *out);
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeStatelessCpu(const KernelInit& init) {
  const std::string& op = init.node().op_name();
  if (op == "StatelessRandomUniform")
    return MakeFunctionKernel<FillFromSeed<random::Uniform>>(init);
  if (op == "StatelessRandomNormal") return MakeFunctionKernel<FillFromSeed<random::Normal>>(init);
  return MakeFunctionKernel<FillFromSeed<random::Truncated>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeStatelessIntCpu(const KernelInit& init) {
  return init.output_type(0) == DType::kInt32 ? MakeFunctionKernel<FillIntegers<int32_t>>(init)
                                              : MakeFunctionKernel<FillIntegers<int64_t>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeStatelessMultinomialCpu(const KernelInit& init) {
  return MakeFunctionKernel<DrawFromSeed>(init);
}

}  // namespace headrace
