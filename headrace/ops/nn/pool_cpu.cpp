#include <algorithm>
#include <optional>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/pool_kernels.h"
#include "headrace/ops/nn/pool_loops.h"
#include "headrace/ops/nn/pool_rows.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// The attributes, from the node or (V2) from inputs `first` and `first + 1`.
class PoolSettings {
 public:
  static StatusOr<PoolSettings> From(const KernelInit& init, int first) {
    PoolSettings settings;
    settings.node_attrs_ = &init.attrs();
    settings.first_ = first;
    if (init.attrs().Has("ksize")) {
      HR_ASSIGN_OR_RETURN(settings.fixed_, PoolAttrs::From(init.attrs()));
    }
    return settings;
  }
  StatusOr<PoolAttrs> Read(const KernelContext& ctx) const {
    if (fixed_.has_value()) [[likely]]
      return *fixed_;
    HR_ASSIGN_OR_RETURN(const IntValues ksize, IntValues::From(ctx.input(first_), "ksize"));
    HR_ASSIGN_OR_RETURN(const IntValues strides, IntValues::From(ctx.input(first_ + 1), "strides"));
    return PoolAttrs::From(*node_attrs_, ksize.span(), strides.span());
  }

 private:
  const AttrMap* node_attrs_ = nullptr;
  int first_ = 0;
  std::optional<PoolAttrs> fixed_;
};

// Pooling over channels is pooling over the columns of images of one row for each pixel.
PoolShape DepthShape(const PoolAttrs& attrs, const Shape& input) {
  PoolShape s;
  const int64_t depth = input[attrs.channel_dim()];
  const int64_t inner = attrs.channels_first ? input.Product(2, 4) : 1;
  s.batch = input.num_elements() / std::max<int64_t>(1, depth * inner);
  s.channels = inner;
  s.h = {.in = 1, .filter = 1, .out = 1};
  s.w = {.in = depth,
         .filter = attrs.depth_size,
         .stride = attrs.depth_size,
         .out = depth / attrs.depth_size};
  return s;
}

StatusOr<PoolShape> ShapeOfPool(const PoolAttrs& attrs, const Shape& input) {
  if (attrs.depth_size != 1) return DepthShape(attrs, input);
  return PoolShape::Of(attrs, input);
}

Status CheckShape(std::string_view what, const Shape& actual, const Shape& expected) {
  if (actual == expected) [[likely]]
    return absl::OkStatus();
  return InvalidArgument(what, " must have shape ", expected.ToString(), ", got ",
                         actual.ToString());
}

constexpr DTypeSet kMaxTypes = kCpuRealTypes;

class MaxPoolKernel final : public Kernel {
 public:
  explicit MaxPoolKernel(PoolSettings settings) : settings_(std::move(settings)) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, settings_.Read(ctx));
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const PartialShape shape, attrs.OutputShape(x.shape(), TooLarge::kEmpty));
    HR_ASSIGN_OR_RETURN(const PoolShape s, ShapeOfPool(attrs, x.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape.ToShape()));
    if (y->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kMaxTypes>(x.dtype(), [&]<class T>() {
      const PoolRows<T>& rows = PoolRows<T>::Get();
      ForEachPoolRow(ctx.workers(), s, [&](int64_t n, int64_t row) {
        rows.max(s, x.data<T>() + n * s.image(), row, y->data<T>() + (n * s.h.out + row) * s.row());
      });
    });
    return absl::OkStatus();
  }

 private:
  PoolSettings settings_;
};

// Inputs: orig_input, orig_output, grad. The maxima are found again in orig_input.
class MaxPoolGradKernel final : public Kernel {
 public:
  MaxPoolGradKernel(PoolSettings settings, bool second)
      : settings_(std::move(settings)), second_(second) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, settings_.Read(ctx));
    const Tensor& x = ctx.input(0);
    const Tensor& grad = ctx.input(2);
    HR_ASSIGN_OR_RETURN(const PartialShape pooled, attrs.OutputShape(x.shape(), TooLarge::kEmpty));
    HR_ASSIGN_OR_RETURN(const PoolShape s, ShapeOfPool(attrs, x.shape()));
    HR_RETURN_IF_ERROR(CheckShape("orig_output", ctx.input(1).shape(), pooled.ToShape()));
    HR_RETURN_IF_ERROR(CheckShape("grad", grad.shape(), second_ ? x.shape() : pooled.ToShape()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, second_ ? pooled.ToShape() : x.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kMaxTypes>(
        x.dtype(), [&]<class T>() { Run(ctx, s, x.data<T>(), grad.data<T>(), out->data<T>()); });
    return absl::OkStatus();
  }

 private:
  template <class T>
  void Run(KernelContext& ctx, const PoolShape& s, const T* x, const T* grad, T* out) {
    const PoolRows<T>& rows = PoolRows<T>::Get();
    if (second_) {
      ForEachPoolRow(ctx.workers(), s, [&](int64_t n, int64_t row) {
        rows.max_pick(s, x + n * s.image(), row, grad + n * s.image(),
                      out + (n * s.h.out + row) * s.row());
      });
    } else {
      ForEachPoolImage(ctx.workers(), s, out, s.tiles(), [&](int64_t n, int64_t row) {
        rows.max_grad(s, x + n * s.image(), row, grad + (n * s.h.out + row) * s.row(),
                      out + n * s.image());
      });
    }
  }

  PoolSettings settings_;
  bool second_;
};

class AvgPoolKernel final : public Kernel {
 public:
  explicit AvgPoolKernel(const PoolAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const PartialShape shape, attrs_.OutputShape(x.shape(), TooLarge::kEmpty));
    HR_ASSIGN_OR_RETURN(const PoolShape s, PoolShape::Of(attrs_, x.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape.ToShape()));
    if (y->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kIeeeFloats>(x.dtype(), [&]<class T>() {
      const PoolRows<T>& rows = PoolRows<T>::Get();
      ForEachPoolRow(ctx.workers(), s, [&](int64_t n, int64_t row) {
        rows.mean(s, x.data<T>() + n * s.image(), row,
                  y->data<T>() + (n * s.h.out + row) * s.row());
      });
    });
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
};

class AvgPoolGradKernel final : public Kernel {
 public:
  explicit AvgPoolGradKernel(const PoolAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& grad = ctx.input(1);
    HR_ASSIGN_OR_RETURN(const Shape input, ShapeFromTensor(ctx.input(0), "orig_input_shape"));
    HR_ASSIGN_OR_RETURN(const PartialShape pooled, attrs_.OutputShape(input, TooLarge::kEmpty));
    HR_RETURN_IF_ERROR(CheckShape("grad", grad.shape(), pooled.ToShape()));
    HR_ASSIGN_OR_RETURN(const PoolShape s, PoolShape::Of(attrs_, input));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, input));
    if (out->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kIeeeFloats>(grad.dtype(), [&]<class T>() {
      const PoolRows<T>& rows = PoolRows<T>::Get();
      T* result = out->data<T>();
      ForEachPoolImage(ctx.workers(), s, result, /*written=*/false, [&](int64_t n, int64_t row) {
        rows.mean_grad(s, row, grad.data<T>() + (n * s.h.out + row) * s.row(),
                       result + n * s.image());
      });
    });
    return absl::OkStatus();
  }

 private:
  PoolAttrs attrs_;
};

StatusOr<PoolAttrs> AvgAttrs(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, PoolAttrs::From(init.attrs()));
  if (attrs.depth_size != 1) return Unimplemented("AvgPool does not support pooling over channels");
  return attrs;
}

StatusOr<std::unique_ptr<Kernel>> MakeMaxGrad(const KernelInit& init, bool second) {
  HR_ASSIGN_OR_RETURN(PoolSettings settings, PoolSettings::From(init, 3));
  return std::make_unique<MaxPoolGradKernel>(std::move(settings), second);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(PoolSettings settings, PoolSettings::From(init, 1));
  return std::make_unique<MaxPoolKernel>(std::move(settings));
}
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolGradCpu(const KernelInit& init) {
  return MakeMaxGrad(init, false);
}
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolGradGradCpu(const KernelInit& init) {
  return MakeMaxGrad(init, true);
}
StatusOr<std::unique_ptr<Kernel>> MakeAvgPoolCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, AvgAttrs(init));
  return std::make_unique<AvgPoolKernel>(attrs);
}
StatusOr<std::unique_ptr<Kernel>> MakeAvgPoolGradCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const PoolAttrs attrs, AvgAttrs(init));
  return std::make_unique<AvgPoolGradKernel>(attrs);
}

}  // namespace headrace
