// Accumulators of gradients: what workers add, and one of them takes as the gradient of a common
// step.
//
//   Output accumulator = ConditionalAccumulator(g, DType::kFloat32, {.shape = {784, 500}});
//   Node* apply = AccumulatorApplyGradient(accumulator, local_step, gradient);      // in every
//   worker's step Output mean = AccumulatorTakeGradient(accumulator, Const(g, 2)); // waits for two
//   of them
//
// A gradient whose `local_step` is less than the accumulator's step is stale and dropped. Taking
// moves the accumulator to its next step. A take that waits ends with Cancelled or DeadlineExceeded
// when its step ends. DTypes: float16, float32, float64. Gradients: none. Source: TensorFlow ops of
// these names; of the dense ones the second form (ResourceConditionalAccumulator: a resource
// handle), of the sparse ones the only one (a ref to two strings).
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct AccumulatorNodeOptions {
  PartialShape shape;                   // of the gradients, as far as it is known
  std::string reduction_type = "MEAN";  // or "SUM"
  std::string container;
  std::string shared_name;  // nodes of one session with the same name share the accumulator
  std::string name;
};

// Shapes: `-> []`, resource.
Output ConditionalAccumulator(Graph& g, DType dtype, AccumulatorNodeOptions o = {},
                              Location where = Location::Current());
// Of slices (indices and rows). A row that several gradients have is averaged over those. Shapes:
// `-> [2]`, ref to string.
Output SparseConditionalAccumulator(Graph& g, DType dtype, AccumulatorNodeOptions o = {},
                                    Location where = Location::Current());

// Errors: InvalidArgument "Shape mismatch: expected [2], got [3]".
Node* AccumulatorApplyGradient(Output accumulator, Output local_step, Output gradient,
                               OpOptions o = {}, Location where = Location::Current());
// `shape` (int64 vector, may be empty) is checked where `has_known_shape`.
struct SparseApplyOptions {
  bool has_known_shape = false;
  std::string name;
};
Node* SparseAccumulatorApplyGradient(Output accumulator, Output local_step, Output indices,
                                     Output values, Output shape, SparseApplyOptions o = {},
                                     Location where = Location::Current());

// Shapes: `num_required [] -> that of the gradients`. Errors: InvalidArgument "Argument
// num_required must be positive, but was 0".
Output AccumulatorTakeGradient(Output accumulator, Output num_required, DType dtype,
                               OpOptions o = {}, Location where = Location::Current());
struct SparseGradientOutputs {
  Output indices, values, shape;
};
SparseGradientOutputs SparseAccumulatorTakeGradient(Output accumulator, Output num_required,
                                                    DType dtype, OpOptions o = {},
                                                    Location where = Location::Current());

// Gradients since the last take, int32; the step below which they are stale. Shapes: `-> []`.
Output AccumulatorNumAccumulated(Output accumulator, OpOptions o = {},
                                 Location where = Location::Current());
Node* AccumulatorSetGlobalStep(Output accumulator, Output step, OpOptions o = {},
                               Location where = Location::Current());

}  // namespace headrace
