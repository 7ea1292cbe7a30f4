#include "swish.h"

#include <cmath>

namespace custom {

using namespace headrace;  // NOLINT: an example reads better without prefixes

namespace {

constexpr DTypeSet kTypes{DType::kFloat32, DType::kFloat64};

template <class T>
class SwishKernel final : public Kernel {
 public:
  explicit SwishKernel(float beta) : beta_(beta) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor* y, ctx.Output(0, x.shape()));
    const T* in = x.data<T>();
    T* out = y->data<T>();
    const T beta = static_cast<T>(beta_);
    ctx.workers().ParallelFor(x.num_elements(), /*ns_per_item=*/5.0, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = in[i] / (T{1} + std::exp(-beta * in[i]));
    });
    return absl::OkStatus();
  }

 private:
  const float beta_;
};

StatusOr<std::unique_ptr<Kernel>> MakeSwishCpu(const KernelInit& init) {
  const float beta = init.Attr<float>("beta");
  if (init.input_type(0) == DType::kFloat64) return std::make_unique<SwishKernel<double>>(beta);
  return std::make_unique<SwishKernel<float>>(beta);
}

// d/dx x s(bx) = s(bx) + b x s(bx) (1 - s(bx)), built from ops, so that it can be differentiated again.
Status SwishGradient(GradContext& g) {
  const float beta = g.attrs().Get<float>("beta");
  Output s = Sigmoid(beta * g.input(0));
  g.Set(0, g.grad() * (s + beta * g.output(0) * (1.0f - s)));
  return absl::OkStatus();
}

}  // namespace

void DefineSwish(OpRegistry& ops) {
  ops.Define("Swish")
      .Doc("x * sigmoid(beta * x).")
      .TypeAttr("T", kTypes)
      .Attr("beta", 1.0f)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput)
      .Gradient(SwishGradient)
      .InPlace(0, 0)
      .Cpu({.types = {{"T", kTypes}}, .make = MakeSwishCpu})
      .Gpu({.types = {{"T", kTypes}}});
}

Output Swish(Output x, SwishOptions options, Location where) {
  return NodeBuilder("Swish", options.name, where).Input(x).Attr("beta", options.beta).Build();
}

}  // namespace custom
