// The kernels of the three convolution ops: dtypes and layouts are brought to float32 or float64
// NHWC, which conv_dnnl.h and conv_plain.h compute.
#include <cstring>

#include "headrace/ops/array/int_values.h"
#include "headrace/ops/nn/conv2d_kernels.h"
#include "headrace/ops/nn/conv_dnnl.h"
#include "headrace/ops/nn/conv_plain.h"
#include "headrace/ops/nn/image_operand.h"

namespace headrace {
namespace {

class ConvKernel final : public Kernel {
 public:
  ConvKernel(const ConvAttrs& attrs, ConvDirection direction)
      : attrs_(attrs), direction_(direction) {}

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
    if (s.empty()) return Clear(*out);
    HR_ASSIGN_OR_RETURN(const void* input, ReadInput(ctx, ctx.input(0), s));
    HR_ASSIGN_OR_RETURN(const void* filter, ReadFilter(ctx, ctx.input(1)));
    HR_ASSIGN_OR_RETURN(void* result, output_.Write(ctx, *out, attrs_.channels_first, s.batch,
                                                    s.out_channels, s.h.out * s.w.out));
    HR_RETURN_IF_ERROR(Run(ctx, s, input, filter, result));
    output_.Finish(ctx, *out, attrs_.channels_first, s.batch, s.out_channels, s.h.out * s.w.out);
    return absl::OkStatus();
  }

  Status BackwardData(KernelContext& ctx) {
    HR_ASSIGN_OR_RETURN(const Shape sizes, ShapeFromTensor(ctx.input(0), "input_sizes"));
    HR_ASSIGN_OR_RETURN(const ConvShape s, ConvShape::Of(attrs_, sizes, ctx.input(1).shape()));
    HR_RETURN_IF_ERROR(s.CheckGradient(attrs_, ctx.input(2).shape(), "Conv2DBackpropInput"));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, sizes));
    if (s.empty()) return Clear(*out);
    HR_ASSIGN_OR_RETURN(const void* filter, ReadFilter(ctx, ctx.input(1)));
    HR_ASSIGN_OR_RETURN(const void* grad, ReadOutput(ctx, ctx.input(2), s));
    HR_ASSIGN_OR_RETURN(void* result, input_.Write(ctx, *out, attrs_.channels_first, s.batch,
                                                   s.in_channels, s.h.in * s.w.in));
    HR_RETURN_IF_ERROR(Run(ctx, s, grad, filter, result));
    input_.Finish(ctx, *out, attrs_.channels_first, s.batch, s.in_channels, s.h.in * s.w.in);
    return absl::OkStatus();
  }

  Status BackwardFilter(KernelContext& ctx) {
    HR_ASSIGN_OR_RETURN(const Shape sizes, ShapeFromTensor(ctx.input(1), "filter_sizes"));
    HR_ASSIGN_OR_RETURN(const ConvShape s, ConvShape::Of(attrs_, ctx.input(0).shape(), sizes));
    HR_RETURN_IF_ERROR(s.CheckGradient(attrs_, ctx.input(2).shape(), "Conv2DBackpropFilter"));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, sizes));
    if (s.empty()) return Clear(*out);
    HR_ASSIGN_OR_RETURN(const void* input, ReadInput(ctx, ctx.input(0), s));
    HR_ASSIGN_OR_RETURN(const void* grad, ReadOutput(ctx, ctx.input(2), s));
    HR_ASSIGN_OR_RETURN(void* result, filter_.Write(ctx, *out, false, 1, 1, 1));
    HR_RETURN_IF_ERROR(Run(ctx, s, input, grad, result));
    filter_.Finish(ctx, *out, false, 1, 1, 1);
    return absl::OkStatus();
  }

  StatusOr<const void*> ReadInput(KernelContext& ctx, const Tensor& t, const ConvShape& s) {
    return input_.Read(ctx, t, attrs_.channels_first, s.batch, s.in_channels, s.h.in * s.w.in);
  }
  StatusOr<const void*> ReadOutput(KernelContext& ctx, const Tensor& t, const ConvShape& s) {
    return output_.Read(ctx, t, attrs_.channels_first, s.batch, s.out_channels, s.h.out * s.w.out);
  }
  StatusOr<const void*> ReadFilter(KernelContext& ctx, const Tensor& t) {
    return filter_.Read(ctx, t, false, 1, 1, 1);
  }

  static Status Clear(Tensor& out) {
    if (out.size_bytes() > 0) std::memset(out.raw_data(), 0, out.size_bytes());
    return absl::OkStatus();
  }

  Status Run(KernelContext& ctx, const ConvShape& s, const void* a, const void* b, void* result) {
    if (ctx.output_type(0) == DType::kFloat64) {
      return RunPlain(ctx, s, static_cast<const double*>(a), static_cast<const double*>(b),
                      static_cast<double*>(result), patches64_);
    }
    const float* x = static_cast<const float*>(a);
    const float* y = static_cast<const float*>(b);
    if (Status status = dnnl_.Prepare(direction_, s); !status.ok()) {
      if (!absl::IsUnimplemented(status)) return status;
      return RunPlain(ctx, s, x, y, static_cast<float*>(result), patches32_);
    }
    return dnnl_.Run(ctx.workers(), x, y, static_cast<float*>(result));
  }

  template <class T>
  Status RunPlain(KernelContext& ctx, const ConvShape& s, const T* a, const T* b, T* result,
                  std::vector<T>& patches) {
    switch (direction_) {
      case ConvDirection::kForward:
        return PlainConvForward(ctx.workers(), s, a, b, result, patches);
      case ConvDirection::kBackwardData:
        return PlainConvBackwardData(ctx.workers(), s, a, b, result, patches);
      default:
        return PlainConvBackwardFilter(ctx.workers(), s, a, b, result, patches);
    }
  }

  const ConvAttrs attrs_;
  const ConvDirection direction_;
  ImageOperand input_, filter_, output_;
  DnnlConv dnnl_;
  std::vector<float> patches32_;
  std::vector<double> patches64_;
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
