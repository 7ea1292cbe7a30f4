// Sequences of numbers.
//
//   Output r = Range(g, 0, 10, 2);                    // [0 2 4 6 8]
//   Output t = LinSpace(start, stop, 5);             // [0 0.25 0.5 0.75 1]
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// start, start + delta, ... before `limit`. Shapes: `[], [], [] -> [n]`. DTypes: float32, float64,
// int32, int64, all three equal. Errors: InvalidArgument for delta 0, or a limit that is never
// reached (an empty result only when start == limit). Gradient: none. Source: TensorFlow Range.
Output Range(Output start, Output limit, Output delta, OpOptions o = {},
             Location where = Location::Current());
// Numbers become constants "range/start", "range/limit", "range/delta" of the dtype of the tensors
// among the arguments.
Output Range(Graph& g, IntArg start, IntArg limit, IntArg delta, OpOptions o = {},
             Location where = Location::Current());

// `num` numbers from start to stop, both included. Shapes: `[], [], [] -> [num]`. DTypes: float32,
// float64. Errors: InvalidArgument for num < 1. Gradient: none. Source: TensorFlow LinSpace.
Output LinSpace(Output start, Output stop, IntArg num, OpOptions o = {},
                Location where = Location::Current());

}  // namespace headrace
