// Rows put together as they come.
//
//   Output y = ParallelConcat({a, b}, {2, 3});     // two [1, 3] -> [2, 3]
#pragma once

#include <span>

#include "headrace/ops/options.h"

namespace headrace {

// Rows `[1, rest...]` one below the other. `shape` is that of the result and must be fully known.
// DTypes: every plain one, string. Errors: InvalidArgument for rows of another shape. Gradient:
// error. Source: TensorFlow ParallelConcat (tf.parallel_stack).
Output ParallelConcat(std::span<const Output> values, PartialShape shape, OpOptions o = {},
                      Location where = Location::Current());

}  // namespace headrace
