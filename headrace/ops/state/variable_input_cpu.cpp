#include "headrace/base/strings.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {

StatusOr<VariableResource*> VariableInput(KernelContext& ctx, int i, DType wanted) {
  if (IsRef(ctx.node().input_type(i))) return &ctx.variable(i);
  const Tensor& input = ctx.input(i);
  if (input.num_elements() != 1) {
    return InvalidArgument("a resource handle must be one element, got shape ",
                           input.shape().ToString());
  }
  const ResourceHandle& handle = input.data<ResourceHandle>()[0];
  auto* variable = dynamic_cast<VariableResource*>(handle.object.get());
  if (variable == nullptr) {
    return InvalidArgument("resource '", handle.name, "' is ",
                           handle.object == nullptr ? "gone" : handle.object->kind(),
                           ", not a variable");
  }
  if (wanted != DType::kInvalid && variable->dtype() != wanted) {
    return InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                           CppTypeName(variable->dtype()), " got ", CppTypeName(wanted));
  }
  return variable;
}

StatusOr<Tensor> ValueInput(KernelContext& ctx, int i, DType wanted) {
  if (ctx.node().input_type(i) != DType::kResource) return ctx.input(i);
  HR_ASSIGN_OR_RETURN(VariableResource * variable, VariableInput(ctx, i, wanted));
  Tensor value = variable->ReadOrInvalid();
  if (value.valid()) return value;
  const std::string& container = ctx.input(i).data<ResourceHandle>()[0].container;
  return FailedPrecondition("Error while reading resource variable ", variable->name(),
                            " from Container: ", container.empty() ? "localhost" : container,
                            ". This could mean that the variable was uninitialized. ",
                            Message(variable->Read().status()));
}

void PassVariable(KernelContext& ctx, VariableResource& variable) {
  if (ctx.node().num_outputs() > 0 && IsRef(ctx.node().output_type(0)))
    ctx.SetVariable(0, &variable);
}

}  // namespace headrace
