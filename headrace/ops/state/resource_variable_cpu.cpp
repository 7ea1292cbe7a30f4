#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/state/resource_variable_kernels.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/state/variable_kernels.h"

namespace headrace {
namespace {

class VarHandleKernel final : public Kernel {
 public:
  explicit VarHandleKernel(ResourceHandle handle)
      : handle_(Tensor::Scalar<ResourceHandle>(std::move(handle))) {}
  Status Compute(KernelContext& ctx) override {
    ctx.SetOutput(0, handle_);
    return absl::OkStatus();
  }

 private:
  const Tensor handle_;
};

Status ReadVariable(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor value, ValueInput(ctx, 0, ctx.output_type(0)));
  const PartialShape& inferred = ctx.node().output_shape(0);
  if (!inferred.IsCompatibleWith(PartialShape(value.shape()))) {
    return FailedPrecondition("the variable has shape ", value.shape().ToString(),
                              ", but the graph was built for ", inferred.ToString());
  }
  ctx.SetOutput(0, std::move(value));
  return absl::OkStatus();
}

Status AssignVariable(KernelContext& ctx) {
  const Tensor& value = ctx.input(1);
  HR_ASSIGN_OR_RETURN(VariableResource * variable, VariableInput(ctx, 0, value.dtype()));
  if (!variable->shape().IsCompatibleWith(PartialShape(value.shape()))) {
    return InvalidArgument("variable '", variable->name(), "' has shape ",
                           variable->shape().ToString(), ", cannot be assigned a Tensor of shape ",
                           value.shape().ToString());
  }
  return variable->Assign(value, /*validate_shape=*/false);
}

Status VarIsInitialized(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const VariableResource* variable, VariableInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<bool>() = variable->initialized();
  return absl::OkStatus();
}

Status VariableShape(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const Tensor value, ValueInput(ctx, 0, DType::kInvalid));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {value.rank()}));
  StoreInts(value.shape().dims(), *out);
  return absl::OkStatus();
}

// The variable stays for the steps that hold its handle, without a value.
class DestroyResourceKernel final : public Kernel {
 public:
  explicit DestroyResourceKernel(bool ignore_missing) : ignore_missing_(ignore_missing) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(VariableResource * variable, VariableInput(ctx, 0));
    const Status status = variable->Update([](Tensor& value) {
      value = Tensor();
      return absl::OkStatus();
    });
    if (status.ok() || ignore_missing_) return absl::OkStatus();
    return NotFound("Resource ", variable->name(), " does not exist: it holds no value");
  }

 private:
  const bool ignore_missing_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeVarHandleCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<VariableResource> variable, FindVariable(init));
  return std::make_unique<VarHandleKernel>(
      ResourceHandle{.container = init.Attr<std::string>("container"),
                     .name = variable->name(),
                     .object = variable});
}
StatusOr<std::unique_ptr<Kernel>> MakeReadVariableCpu(const KernelInit& init) {
  return MakeFunctionKernel<ReadVariable>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeAssignVariableCpu(const KernelInit& init) {
  return MakeFunctionKernel<AssignVariable>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeVarIsInitializedCpu(const KernelInit& init) {
  return MakeFunctionKernel<VarIsInitialized>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeVariableShapeCpu(const KernelInit& init) {
  return MakeFunctionKernel<VariableShape>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDestroyResourceCpu(const KernelInit& init) {
  return std::make_unique<DestroyResourceKernel>(init.Attr<bool>("ignore_lookup_error"));
}

}  // namespace headrace
