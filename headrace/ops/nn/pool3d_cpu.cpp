#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/pool3d_geometry.h"
#include "headrace/ops/nn/pool3d_kernels.h"
#include "headrace/ops/nn/pool_loops.h"
#include "headrace/ops/nn/pool_rows.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

Status CheckShape(std::string_view what, const Shape& actual, const Shape& expected) {
  if (actual == expected) [[likely]]
    return absl::OkStatus();
  return InvalidArgument(what, " must have shape ", expected.ToString(), ", got ",
                         actual.ToString());
}

class ForwardKernel final : public Kernel {
 public:
  ForwardKernel(const Pool3DAttrs& attrs, bool mean) : attrs_(attrs), mean_(mean) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const PartialShape shape, attrs_.OutputShape(x.shape(), TooLarge::kEmpty));
    HR_ASSIGN_OR_RETURN(const PoolShape s, attrs_.ShapeOf(x.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape.ToShape()));
    if (y->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kIeeeFloats>(x.dtype(), [&]<class T>() {
      const auto row_of = mean_ ? PoolRows<T>::Get().mean : PoolRows<T>::Get().max;
      ForEachPoolRow(ctx.workers(), s, [&](int64_t n, int64_t row) {
        row_of(s, x.data<T>() + n * s.image(), row, y->data<T>() + (n * s.rows() + row) * s.row());
      });
    });
    return absl::OkStatus();
  }

 private:
  const Pool3DAttrs attrs_;
  const bool mean_;
};

// Inputs: orig_input, orig_output, grad.
class MaxGradKernel final : public Kernel {
 public:
  MaxGradKernel(const Pool3DAttrs& attrs, bool second) : attrs_(attrs), second_(second) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const PartialShape known, attrs_.OutputShape(x.shape(), TooLarge::kEmpty));
    HR_ASSIGN_OR_RETURN(const PoolShape s, attrs_.ShapeOf(x.shape()));
    const Shape pooled = known.ToShape();
    HR_RETURN_IF_ERROR(CheckShape("orig_output", ctx.input(1).shape(), pooled));
    HR_RETURN_IF_ERROR(CheckShape("grad", ctx.input(2).shape(), second_ ? x.shape() : pooled));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, second_ ? pooled : x.shape()));
    if (out->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kIeeeFloats>(x.dtype(), [&]<class T>() {
      Run(ctx, s, x.data<T>(), ctx.input(1).data<T>(), ctx.input(2).data<T>(), out->data<T>());
    });
    return absl::OkStatus();
  }

 private:
  template <class T>
  void Run(KernelContext& ctx, const PoolShape& s, const T* x, const T* pooled, const T* grad,
           T* out) const {
    const PoolRows<T>& rows = PoolRows<T>::Get();
    const int64_t windows = s.rows() * s.row();  // of an image
    if (second_) {
      ForEachPoolRow(ctx.workers(), s, [&](int64_t n, int64_t row) {
        rows.max_pick(s, x + n * s.image(), row, grad + n * s.image(),
                      out + n * windows + row * s.row());
      });
      return;
    }
    ForEachPoolImage(ctx.workers(), s, out, /*written=*/false, [&](int64_t n, int64_t row) {
      const int64_t at = n * windows + row * s.row();
      rows.max_grad_equal(s, x + n * s.image(), row, pooled + at, grad + at, out + n * s.image());
    });
  }

  const Pool3DAttrs attrs_;
  const bool second_;
};

class AvgGradKernel final : public Kernel {
 public:
  explicit AvgGradKernel(const Pool3DAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& grad = ctx.input(1);
    HR_ASSIGN_OR_RETURN(const Shape input, ShapeFromTensor(ctx.input(0), "orig_input_shape"));
    HR_ASSIGN_OR_RETURN(const PartialShape pooled, attrs_.OutputShape(input, TooLarge::kEmpty));
    HR_RETURN_IF_ERROR(CheckShape("grad", grad.shape(), pooled.ToShape()));
    HR_ASSIGN_OR_RETURN(const PoolShape s, attrs_.ShapeOf(input));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, input));
    if (out->num_elements() == 0) return absl::OkStatus();
    DispatchDType<kIeeeFloats>(grad.dtype(), [&]<class T>() {
      T* result = out->data<T>();
      ForEachPoolImage(ctx.workers(), s, result, /*written=*/false, [&](int64_t n, int64_t row) {
        PoolRows<T>::Get().mean_grad(s, row, grad.data<T>() + (n * s.rows() + row) * s.row(),
                                     result + n * s.image());
      });
    });
    return absl::OkStatus();
  }

 private:
  const Pool3DAttrs attrs_;
};

template <class K, class... Args>
StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, Args... args) {
  HR_ASSIGN_OR_RETURN(const Pool3DAttrs attrs, Pool3DAttrs::From(init.attrs()));
  return std::make_unique<K>(attrs, args...);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMaxPool3DCpu(const KernelInit& init) {
  return Make<ForwardKernel>(init, false);
}
StatusOr<std::unique_ptr<Kernel>> MakeMaxPool3DGradCpu(const KernelInit& init) {
  return Make<MaxGradKernel>(init, false);
}
StatusOr<std::unique_ptr<Kernel>> MakeMaxPool3DGradGradCpu(const KernelInit& init) {
  return Make<MaxGradKernel>(init, true);
}
StatusOr<std::unique_ptr<Kernel>> MakeAvgPool3DCpu(const KernelInit& init) {
  return Make<ForwardKernel>(init, true);
}
StatusOr<std::unique_ptr<Kernel>> MakeAvgPool3DGradCpu(const KernelInit& init) {
  return Make<AvgGradKernel>(init);
}

}  // namespace headrace
