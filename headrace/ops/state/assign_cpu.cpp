#include "headrace/base/strings.h"
#include "headrace/ops/state/assign_kernels.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

class AssignKernel final : public Kernel {
 public:
  explicit AssignKernel(bool validate_shape) : validate_shape_(validate_shape) {}
  Status Compute(KernelContext& ctx) override {
    VariableResource& variable = ctx.variable(0);
    HR_RETURN_IF_ERROR(variable.Assign(ctx.input(1), validate_shape_));
    ctx.SetVariable(0, &variable);
    return absl::OkStatus();
  }

 private:
  const bool validate_shape_;
};

// The sign is a template argument so that the loop has none.
template <bool kAdd>
Status UpdateKernel(KernelContext& ctx) {
  const Tensor& delta = ctx.input(1);
  HR_ASSIGN_OR_RETURN(VariableResource * variable, VariableInput(ctx, 0, delta.dtype()));
  HR_RETURN_IF_ERROR(variable->Update([&](Tensor& value) -> Status {
    if (value.shape() != delta.shape() && !IsRef(ctx.node().input_type(0))) {
      return InvalidArgument("Cannot update variable with shape ", value.shape().ToString(),
                             " using a Tensor with shape ", delta.shape().ToString(),
                             ", shapes must be equal.");
    }
    if (value.shape() != delta.shape()) {
      return InvalidArgument("Parameters and update must be the same size: variable '",
                             variable->name(), "' has shape ", value.shape().ToString(),
                             ", the update ", delta.shape().ToString());
    }
    DispatchDType<kNumberTypes>(value.dtype(), [&]<class T>() {
      T* x = value.data<T>();
      const T* d = delta.data<T>();
      ctx.workers().ParallelFor(
          value.num_elements(), 0.08 * sizeof(T), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              if constexpr (std::is_integral_v<T>) {  // wraps
                using U = std::make_unsigned_t<T>;
                x[i] = static_cast<T>(kAdd ? static_cast<U>(U(x[i]) + U(d[i]))
                                           : static_cast<U>(U(x[i]) - U(d[i])));
              } else if constexpr (kAdd) {
                x[i] += d[i];
              } else {
                x[i] -= d[i];
              }
            }
          });
    });
    return absl::OkStatus();
  }));
  PassVariable(ctx, *variable);
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeAssignCpu(const KernelInit& init) {
  return std::make_unique<AssignKernel>(init.Attr<bool>("validate_shape"));
}
StatusOr<std::unique_ptr<Kernel>> MakeAssignAddCpu(const KernelInit& init) {
  return MakeFunctionKernel<UpdateKernel<true>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeAssignSubCpu(const KernelInit& init) {
  return MakeFunctionKernel<UpdateKernel<false>>(init);
}

}  // namespace headrace
