// Repeating a tensor.
//
//   Output y = Tile(x, {2, 1});              // [n, m] -> [2n, m]
//   Output z = BroadcastTo(row, {10, 3});    // [3] -> [10, 3]
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Dimension i is repeated multiples[i] times. DTypes: every plain one, string. Errors:
// InvalidArgument for a negative multiple, or as many multiples as there are not dimensions.
// Gradient: the repetitions are added. Source: TensorFlow Tile.
Output Tile(Output x, IntArg multiples, OpOptions o = {}, Location where = Location::Current());

// NumPy broadcasting to a shape of at least the same rank. Errors: InvalidArgument "Incompatible
// shapes: [2,3] vs. [3,3]". Gradient: sums over what was repeated. Source: TensorFlow BroadcastTo.
Output BroadcastTo(Output x, IntArg shape, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
