// Elements moved along axes, those that leave at one end enter at the other.
//
//   Output y = Roll(x, 1, 0);                  // [1, 2, 3] -> [3, 1, 2]
//   Output z = Roll(x, {1, -2}, {0, 1});
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// `shift` and `axis` are scalars or vectors of one length; shifts of an axis that is named several
// times add up. Shapes: `[...] -> [...]`, rank at least 1. DTypes: every plain one, string.
// Errors: InvalidArgument for an axis outside [-rank, rank), for different lengths. Gradient:
// rolled back. Source: TensorFlow Roll.
Output Roll(Output x, IntArg shift, IntArg axis, OpOptions o = {},
            Location where = Location::Current());

}  // namespace headrace
