// The variable that an op reads or changes, whether it comes by a ref edge or by a resource handle:
// kernels and shape functions of ops that have both forms (AssignAdd and AssignAddVariableOp) ask
// here.
#pragma once

#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"

namespace headrace {

// What a handle's VarHandleOp states, found through the nodes that pass the handle on. Another
// handle, or one that is fed: kInvalid and an unknown shape.
struct HandleInfo {
  DType dtype = DType::kInvalid;
  PartialShape shape;
};
HandleInfo HandleOf(Output handle);

// Shape of the variable behind input i; of a value that is no variable, its own.
PartialShape VariableShapeOf(const ShapeContext& c, int i);
// InvalidArgument "Trying to read variable with wrong dtype. Expected float got int32".
Status CheckHandleType(const ShapeContext& c, int i, DType wanted);
// How TensorFlow's errors call a dtype: "float", "int32".
std::string CppTypeName(DType type);

// The variable behind input i; holds `wanted` (kInvalid: anything). Errors: InvalidArgument for a
// handle of something else, or another dtype.
StatusOr<VariableResource*> VariableInput(KernelContext& ctx, int i,
                                          DType wanted = DType::kInvalid);
// The value of input i, or of the variable whose handle it is. Errors: FailedPrecondition "Error
// while reading resource variable w from Container: localhost. This could mean that the variable
// was uninitialized."
StatusOr<Tensor> ValueInput(KernelContext& ctx, int i, DType wanted);
// Ops with a ref output give the variable on.
void PassVariable(KernelContext& ctx, VariableResource& variable);

}  // namespace headrace
