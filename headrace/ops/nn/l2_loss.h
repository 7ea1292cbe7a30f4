// Half the sum of squares: the usual penalty on weights.
//
//   Output penalty = L2Loss(w) * 1e-4f;
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// sum(t * t) / 2. Shapes: `[...] -> []`. DTypes: float16, float32, float64 (float16 is summed in
// float32). The order of summation depends on the size alone. Gradient: t, any number of times.
// Source: TensorFlow L2Loss.
Output L2Loss(Output t, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
