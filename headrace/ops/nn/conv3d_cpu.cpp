#include "headrace/ops/array/int_values.h"
#include "headrace/ops/nn/conv3d_geometry.h"
#include "headrace/ops/nn/conv3d_kernels.h"
#include "headrace/ops/nn/conv_run.h"

namespace headrace {
namespace {

class Conv3DKernel final : public Kernel {
 public:
  Conv3DKernel(const Conv3DAttrs& attrs, ConvDirection direction, bool sizes)
      : attrs_(attrs), direction_(direction), sizes_(sizes), conv_(direction) {}

  Status Compute(KernelContext& ctx) override {
    if (direction_ == ConvDirection::kForward) {
      HR_ASSIGN_OR_RETURN(const ConvShape s,
                          attrs_.ShapeOf(ctx.input(0).shape(), ctx.input(1).shape()));
      HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, attrs_.OutputShape(s)));
      return conv_.Run(ctx, s, attrs_.channels_first, ctx.input(0), ctx.input(1), *out);
    }
    const bool to_data = direction_ == ConvDirection::kBackwardData;
    HR_ASSIGN_OR_RETURN(const Shape wanted, WantedShape(ctx, to_data ? 0 : 1));
    const Shape other = ctx.input(to_data ? 1 : 0).shape();
    HR_ASSIGN_OR_RETURN(const ConvShape s,
                        to_data ? attrs_.ShapeOf(wanted, other) : attrs_.ShapeOf(other, wanted));
    HR_RETURN_IF_ERROR(attrs_.CheckGradient(
        s, ctx.input(2).shape(), to_data ? "Conv3DBackpropInput" : "Conv3DBackpropFilter"));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, wanted));
    if (to_data) {
      return conv_.Run(ctx, s, attrs_.channels_first, ctx.input(2), ctx.input(1), *out);
    }
    return conv_.Run(ctx, s, attrs_.channels_first, ctx.input(0), ctx.input(2), *out);
  }

 private:
  // The shape of the gradient: what input i states, or has.
  StatusOr<Shape> WantedShape(KernelContext& ctx, int i) const {
    if (sizes_) return ShapeFromTensor(ctx.input(i), i == 0 ? "input_sizes" : "filter_sizes");
    return ctx.input(i).shape();
  }

  const Conv3DAttrs attrs_;
  const ConvDirection direction_;
  const bool sizes_;
  ConvRunner conv_;
};

StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, ConvDirection direction) {
  HR_ASSIGN_OR_RETURN(const Conv3DAttrs attrs, Conv3DAttrs::From(init.attrs()));
  return std::make_unique<Conv3DKernel>(attrs, direction, init.node().op_name().ends_with("V2"));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeConv3DCpu(const KernelInit& init) {
  return Make(init, ConvDirection::kForward);
}
StatusOr<std::unique_ptr<Kernel>> MakeConv3DBackpropInputCpu(const KernelInit& init) {
  return Make(init, ConvDirection::kBackwardData);
}
StatusOr<std::unique_ptr<Kernel>> MakeConv3DBackpropFilterCpu(const KernelInit& init) {
  return Make(init, ConvDirection::kBackwardFilter);
}

}  // namespace headrace
