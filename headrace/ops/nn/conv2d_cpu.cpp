#include "headrace/ops/array/int_values.h"
#include "headrace/ops/nn/conv2d_kernels.h"
#include "headrace/ops/nn/conv_run.h"

namespace headrace {
namespace {

class ConvKernel final : public Kernel {
 public:
  ConvKernel(const ConvAttrs& attrs, ConvDirection direction)
      : attrs_(attrs), direction_(direction), conv_(direction) {}

  Status Compute(KernelContext& ctx) override {
    switch (direction_) {
      case ConvDirection::kForward:
        return Forward(ctx);
      case ConvDirection::kBackwardData:
        return BackwardData(ctx);
      default:
        return BackwardFilter(ctx);
    }
  }

 private:
  Status Forward(KernelContext& ctx) {
    HR_ASSIGN_OR_RETURN(const ConvShape s,
                        ConvShape::Of(attrs_, ctx.input(0).shape(), ctx.input(1).shape()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, s.output(attrs_)));
    return conv_.Run(ctx, s, attrs_.channels_first, ctx.input(0), ctx.input(1), *out);
  }

  Status BackwardData(KernelContext& ctx) {
    HR_ASSIGN_OR_RETURN(const Shape sizes, ShapeFromTensor(ctx.input(0), "input_sizes"));
    HR_ASSIGN_OR_RETURN(const ConvShape s, ConvShape::Of(attrs_, sizes, ctx.input(1).shape()));
    HR_RETURN_IF_ERROR(s.CheckGradient(attrs_, ctx.input(2).shape(), "Conv2DBackpropInput"));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, sizes));
    return conv_.Run(ctx, s, attrs_.channels_first, ctx.input(2), ctx.input(1), *out);
  }

  Status BackwardFilter(KernelContext& ctx) {
    HR_ASSIGN_OR_RETURN(const Shape sizes, ShapeFromTensor(ctx.input(1), "filter_sizes"));
    HR_ASSIGN_OR_RETURN(const ConvShape s, ConvShape::Of(attrs_, ctx.input(0).shape(), sizes));
    HR_RETURN_IF_ERROR(s.CheckGradient(attrs_, ctx.input(2).shape(), "Conv2DBackpropFilter"));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, sizes));
    return conv_.Run(ctx, s, attrs_.channels_first, ctx.input(0), ctx.input(2), *out);
  }

  const ConvAttrs attrs_;
  const ConvDirection direction_;
  ConvRunner conv_;
};

StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, ConvDirection direction) {
  HR_ASSIGN_OR_RETURN(const ConvAttrs attrs, ConvAttrs::From(init.attrs()));
  return std::make_unique<ConvKernel>(attrs, direction);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeConv2DCpu(const KernelInit& init) {
  return Make(init, ConvDirection::kForward);
}
StatusOr<std::unique_ptr<Kernel>> MakeConv2DBackpropInputCpu(const KernelInit& init) {
  return Make(init, ConvDirection::kBackwardData);
}
StatusOr<std::unique_ptr<Kernel>> MakeConv2DBackpropFilterCpu(const KernelInit& init) {
  return Make(init, ConvDirection::kBackwardFilter);
}

}  // namespace headrace
