#include "headrace/ops/state/variable_kernels.h"

namespace headrace {
namespace {

class VariableKernel final : public Kernel {
 public:
  explicit VariableKernel(std::shared_ptr<VariableResource> variable)
      : variable_(std::move(variable)) {}
  Status Compute(KernelContext& ctx) override {
    ctx.SetVariable(0, variable_.get());
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<VariableResource> variable_;
};

Status IsInitialized(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<bool>() = ctx.variable(0).initialized();
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::shared_ptr<VariableResource>> FindVariable(const KernelInit& init) {
  const std::string& shared_name = init.Attr<std::string>("shared_name");
  const std::string& name = shared_name.empty() ? init.node().name() : shared_name;
  const DType type = init.Attr<DType>("dtype");
  const PartialShape& shape = init.Attr<PartialShape>("shape");
  HR_ASSIGN_OR_RETURN(std::shared_ptr<VariableResource> variable,
                      init.resources().LookupOrCreate<VariableResource>(
                          init.Attr<std::string>("container"), name,
                          [&]() -> StatusOr<std::shared_ptr<VariableResource>> {
                            return std::make_shared<VariableResource>(name, type, shape,
                                                                      init.device().allocator(),
                                                                      init.node().location());
                          }));
  if (variable->dtype() != type) {
    return InvalidArgument("variable '", name, "' exists with dtype ", DTypeName(variable->dtype()),
                           ", this node says ", DTypeName(type));
  }
  return variable;
}

StatusOr<std::unique_ptr<Kernel>> MakeVariableCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<VariableResource> variable, FindVariable(init));
  return std::make_unique<VariableKernel>(std::move(variable));
}

StatusOr<std::unique_ptr<Kernel>> MakeIsVariableInitializedCpu(const KernelInit& init) {
  return MakeFunctionKernel<IsInitialized>(init);
}

}  // namespace headrace
