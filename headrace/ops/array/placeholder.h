// Where a step's inputs enter the graph.
//
//   Output x = Placeholder(g, DType::kFloat32, {-1, 784}, {.name = "x"});
//   Output keep = PlaceholderWithDefault(Const(g, 1.0f), {}, {.name = "keep_prob"});
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// A tensor that must be fed. `shape` may have unknown dimensions (-1) or, as PartialShape(), be of
// unknown rank. Errors: InvalidArgument "You must feed a value for placeholder tensor 'x' with
// dtype float and shape [?,784]" when a step needs it and it is not fed. Source: TensorFlow
// Placeholder.
Output Placeholder(Graph& g, DType dtype, PartialShape shape = PartialShape(), OpOptions o = {},
                   Location where = Location::Current());

// `input`, unless another value is fed. Shapes: of the default and of what is fed agree with
// `shape`. Gradient: passes to `input`. Source: TensorFlow PlaceholderWithDefault.
Output PlaceholderWithDefault(Output input, PartialShape shape, OpOptions o = {},
                              Location where = Location::Current());

}  // namespace headrace
