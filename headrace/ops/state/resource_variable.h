// Variables behind resource handles: state that steps share, read and written by explicit ops.
//
//   Output w = VarHandleOp(g, {784, 500}, DType::kFloat32, {.shared_name = "w"});
//   Node* init = AssignVariableOp(w, initial_value);
//   Output y = MatMul(x, ReadVariableOp(w));
//
// A handle names the variable and never holds its value. What an op reads does not change
// afterwards: a later write leaves it alone. Within a step, an op that reads and that no path puts
// after a write comes before it. Handle and ops share a device. Functions of ops that only write
// give their node. The state is that of VariableV2 with the same container and name.
#pragma once

#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/state/variable.h"

namespace headrace {

// The handle of the variable of that container and shared_name (or the node's name). Shapes: `->
// []`, resource. Gradient: none. Source: TensorFlow VarHandleOp.
Output VarHandleOp(Graph& g, const PartialShape& shape, DType dtype, VariableOpOptions o = {},
                   Location where = Location::Current());

// The value. Errors: FailedPrecondition "Error while reading resource variable w from Container:
// localhost. This could mean that the variable was uninitialized." Gradient: to the handle. Source:
// TensorFlow ReadVariableOp.
Output ReadVariableOp(Output handle, OpOptions o = {}, Location where = Location::Current());

// Replaces the value, adds to it, or subtracts from it. Errors: InvalidArgument for another dtype,
// or a shape that the handle does not allow ("Cannot update variable with shape [2,3] using a
// Tensor with shape [3], shapes must be equal."). Gradient: none. Source: TensorFlow ops of these
// names.
Node* AssignVariableOp(Output handle, Output value, OpOptions o = {},
                       Location where = Location::Current());
Node* AssignAddVariableOp(Output handle, Output value, OpOptions o = {},
                          Location where = Location::Current());
Node* AssignSubVariableOp(Output handle, Output value, OpOptions o = {},
                          Location where = Location::Current());

// True when the variable holds a value. Shapes: `-> []`, bool.
Output VarIsInitializedOp(Output handle, OpOptions o = {}, Location where = Location::Current());
// The shape of the value, int32 or int64. Shapes: `-> [rank]`. Source: TensorFlow VariableShape.
Output VariableShapeOp(Output handle, DType out_type = DType::kInt32, OpOptions o = {},
                       Location where = Location::Current());

struct DestroyOptions {
  bool ignore_lookup_error = true;  // false: NotFound for a variable without value
  std::string name;
};
// Takes the value away: the variable is uninitialised again. Source: TensorFlow DestroyResourceOp.
Node* DestroyResourceOp(Output handle, DestroyOptions o = {}, Location where = Location::Current());

// Rows of the value by index, as Gather; slices by index vectors, as GatherNd. Errors:
// InvalidArgument "indices[1] = 5 is not in [0, 2)". Gradient: indexed slices of the handle.
struct ResourceGatherOptions {
  int64_t batch_dims = 0;
  bool validate_indices = true;  // checked in any case
  std::string name;
};
Output ResourceGather(Output handle, Output indices, ResourceGatherOptions o = {},
                      Location where = Location::Current());
Output ResourceGatherNd(Output handle, Output indices, OpOptions o = {},
                        Location where = Location::Current());

// Folds rows into rows, or slices into slices, of the value: as the ops without Resource
// (ops/state/scatter.h).
Node* ResourceScatterAdd(Output handle, Output indices, Output updates, OpOptions o = {},
                         Location where = Location::Current());
Node* ResourceScatterSub(Output handle, Output indices, Output updates, OpOptions o = {},
                         Location where = Location::Current());
Node* ResourceScatterMul(Output handle, Output indices, Output updates, OpOptions o = {},
                         Location where = Location::Current());
Node* ResourceScatterDiv(Output handle, Output indices, Output updates, OpOptions o = {},
                         Location where = Location::Current());
Node* ResourceScatterMin(Output handle, Output indices, Output updates, OpOptions o = {},
                         Location where = Location::Current());
Node* ResourceScatterMax(Output handle, Output indices, Output updates, OpOptions o = {},
                         Location where = Location::Current());
Node* ResourceScatterUpdate(Output handle, Output indices, Output updates, OpOptions o = {},
                            Location where = Location::Current());
struct ResourceScatterNdOptions {
  bool use_locking = true;  // writes are exclusive in any case
  std::string name;
};
Node* ResourceScatterNdAdd(Output handle, Output indices, Output updates,
                           ResourceScatterNdOptions o = {}, Location where = Location::Current());
Node* ResourceScatterNdSub(Output handle, Output indices, Output updates,
                           ResourceScatterNdOptions o = {}, Location where = Location::Current());
Node* ResourceScatterNdUpdate(Output handle, Output indices, Output updates,
                              ResourceScatterNdOptions o = {},
                              Location where = Location::Current());

// Writes the part of the value that StridedSlice would take. Errors: Unimplemented "sliced l-value
// shape [1,2] does not match r-value shape [2,2]. Automatic broadcasting not yet implemented."
Node* ResourceStridedSliceAssign(Output handle, Output begin, Output end, Output strides,
                                 Output value, StridedSliceOptions o = {},
                                 Location where = Location::Current());

// The value before it is counted up. Errors: OutOfRange "Reached limit of 3".
Output ResourceCountUpTo(Output handle, int64_t limit, OpOptions o = {},
                         Location where = Location::Current());

}  // namespace headrace
