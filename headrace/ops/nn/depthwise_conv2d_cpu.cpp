#include <algorithm>
#include <cstring>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/nn/conv_geometry.h"
#include "headrace/ops/nn/depthwise_conv2d_kernels.h"
#include "headrace/ops/nn/depthwise_rows.h"
#include "headrace/ops/nn/image_operand.h"

namespace headrace {
namespace {

enum class Direction { kForward, kBackwardData, kBackwardFilter };

// `in_channels` of the ConvShape are the image's, `out_channels` those of the result.
StatusOr<ConvShape> DepthwiseShape(const ConvAttrs& attrs, const Shape& input,
                                   const Shape& filter) {
  if (filter.rank() != 4)
    return InvalidArgument("filter must be 4-dimensional: ", filter.ToString());
  const Shape one{filter[0], filter[1], filter[2], filter[2] * filter[3]};
  if (input.rank() == 4 && input[attrs.channel_dim()] != filter[2]) {
    return InvalidArgument("input and filter must have the same depth: ",
                           input[attrs.channel_dim()], " vs ", filter[2]);
  }
  return ConvShape::Of(attrs, input, one);
}

class DepthwiseKernel final : public Kernel {
 public:
  DepthwiseKernel(const ConvAttrs& attrs, Direction direction)
      : attrs_(attrs), direction_(direction) {}

  Status Compute(KernelContext& ctx) override {
    Shape input = ctx.input(0).shape(), filter = ctx.input(1).shape();
    if (direction_ == Direction::kBackwardData) {
      HR_ASSIGN_OR_RETURN(input, ShapeFromTensor(ctx.input(0), "input_sizes"));
    } else if (direction_ == Direction::kBackwardFilter) {
      HR_ASSIGN_OR_RETURN(filter, ShapeFromTensor(ctx.input(1), "filter_sizes"));
    }
    HR_ASSIGN_OR_RETURN(const ConvShape s, DepthwiseShape(attrs_, input, filter));
    if (direction_ != Direction::kForward) {
      HR_RETURN_IF_ERROR(s.CheckGradient(attrs_, ctx.input(2).shape(), ctx.node().op_name()));
    }
    const Shape result = direction_ == Direction::kForward        ? s.output(attrs_)
                         : direction_ == Direction::kBackwardData ? input
                                                                  : filter;
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, result));
    if (s.empty()) {
      if (out->size_bytes() > 0) std::memset(out->raw_data(), 0, out->size_bytes());
      return absl::OkStatus();
    }
    return out->dtype() == DType::kFloat64 ? Run<double>(ctx, s, filter[3], *out)
                                           : Run<float>(ctx, s, filter[3], *out);
  }

 private:
  StatusOr<const void*> ReadInput(KernelContext& ctx, const Tensor& t, const ConvShape& s) {
    return input_.Read(ctx, t, attrs_.channels_first, s.batch, s.in_channels, s.h.in * s.w.in);
  }
  StatusOr<const void*> ReadOutput(KernelContext& ctx, const Tensor& t, const ConvShape& s) {
    return output_.Read(ctx, t, attrs_.channels_first, s.batch, s.out_channels, s.h.out * s.w.out);
  }

  template <class T>
  Status Run(KernelContext& ctx, const ConvShape& s, int64_t multiplier, Tensor& out) {
    const int64_t image = s.h.in * s.w.in * s.in_channels, row = s.w.out * s.out_channels;
    const double row_ns = 0.2 * static_cast<double>(row * s.h.filter * s.w.filter) +
                          5.0 * static_cast<double>(s.w.out);
    if (direction_ == Direction::kForward) {
      HR_ASSIGN_OR_RETURN(const void* x, ReadInput(ctx, ctx.input(0), s));
      HR_ASSIGN_OR_RETURN(const void* w, filter_.Read(ctx, ctx.input(1), false, 1, 1, 1));
      HR_ASSIGN_OR_RETURN(void* y, output_.Write(ctx, out, attrs_.channels_first, s.batch,
                                                 s.out_channels, s.h.out * s.w.out));
      ctx.workers().ParallelFor(s.batch * s.h.out, row_ns, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          DepthwiseRows<T>::Get().forward(
              s, multiplier, static_cast<const T*>(x) + i / s.h.out * image,
              static_cast<const T*>(w), i % s.h.out, static_cast<T*>(y) + i * row);
        }
      });
      output_.Finish(ctx, out, attrs_.channels_first, s.batch, s.out_channels, s.h.out * s.w.out);
    } else if (direction_ == Direction::kBackwardData) {
      HR_ASSIGN_OR_RETURN(const void* w, filter_.Read(ctx, ctx.input(1), false, 1, 1, 1));
      HR_ASSIGN_OR_RETURN(const void* dy, ReadOutput(ctx, ctx.input(2), s));
      HR_ASSIGN_OR_RETURN(void* dx, input_.Write(ctx, out, attrs_.channels_first, s.batch,
                                                 s.in_channels, s.h.in * s.w.in));
      ctx.workers().ParallelFor(
          s.batch, row_ns * static_cast<double>(s.h.out), [&](int64_t begin, int64_t end) {
            for (int64_t n = begin; n < end; ++n) {
              T* to = static_cast<T*>(dx) + n * image;
              std::fill_n(to, image, T(0));
              for (int64_t r = 0; r < s.h.out; ++r) {
                DepthwiseRows<T>::Get().backward_data(
                    s, multiplier, static_cast<const T*>(dy) + (n * s.h.out + r) * row,
                    static_cast<const T*>(w), r, to);
              }
            }
          });
      input_.Finish(ctx, out, attrs_.channels_first, s.batch, s.in_channels, s.h.in * s.w.in);
    } else {
      HR_ASSIGN_OR_RETURN(const void* x, ReadInput(ctx, ctx.input(0), s));
      HR_ASSIGN_OR_RETURN(const void* dy, ReadOutput(ctx, ctx.input(2), s));
      HR_ASSIGN_OR_RETURN(void* dw, filter_.Write(ctx, out, false, 1, 1, 1));
      FilterGradient(ctx, s, multiplier, static_cast<const T*>(x), static_cast<const T*>(dy),
                     static_cast<T*>(dw));
      filter_.Finish(ctx, out, false, 1, 1, 1);
    }
    return absl::OkStatus();
  }

  // Groups of images whose number depends on the shape alone, then the sum of the groups.
  template <class T>
  void FilterGradient(KernelContext& ctx, const ConvShape& s, int64_t multiplier, const T* x,
                      const T* dy, T* dw) {
    const int64_t image = s.h.in * s.w.in * s.in_channels, row = s.w.out * s.out_channels;
    const int64_t size = s.h.filter * s.w.filter * s.out_channels;
    const int64_t groups = std::min<int64_t>(s.batch, 16);
    std::vector<T> partial(static_cast<size_t>(groups * size));
    ctx.workers().ParallelChunks(groups, 1, [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) {
        for (int64_t n = s.batch * g / groups; n < s.batch * (g + 1) / groups; ++n) {
          for (int64_t r = 0; r < s.h.out; ++r) {
            DepthwiseRows<T>::Get().backward_filter(s, multiplier, x + n * image,
                                                    dy + (n * s.h.out + r) * row, r,
                                                    partial.data() + g * size);
          }
        }
      }
    });
    std::copy_n(partial.data(), size, dw);
    for (int64_t g = 1; g < groups; ++g) {
      for (int64_t i = 0; i < size; ++i) dw[i] += partial[g * size + i];
    }
  }

  const ConvAttrs attrs_;
  const Direction direction_;
  ImageOperand input_, filter_, output_;
};

StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, Direction direction) {
  HR_ASSIGN_OR_RETURN(const ConvAttrs attrs, ConvAttrs::From(init.attrs()));
  return std::make_unique<DepthwiseKernel>(attrs, direction);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDepthwiseConv2dCpu(const KernelInit& init) {
  return Make(init, Direction::kForward);
}
StatusOr<std::unique_ptr<Kernel>> MakeDepthwiseConv2dBackpropInputCpu(const KernelInit& init) {
  return Make(init, Direction::kBackwardData);
}
StatusOr<std::unique_ptr<Kernel>> MakeDepthwiseConv2dBackpropFilterCpu(const KernelInit& init) {
  return Make(init, Direction::kBackwardFilter);
}

}  // namespace headrace
