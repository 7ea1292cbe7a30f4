// Vectors of length 1.
//
//   Output unit = L2Normalize(x, 1);      // each row divided by its length
#pragma once

#include "headrace/ops/math/reduce.h"

namespace headrace {

struct L2NormalizeOptions {
  double epsilon = 1e-12;  // the least square of a length
  std::string name;
};
// x / sqrt(max(sum(x^2), epsilon)), the sum over the axes. Shapes: `[...] -> [...]`. DTypes:
// floating ones. From other ops. Gradient: theirs. Source: tf.nn.l2_normalize.
Output L2Normalize(Output x, ReduceAxes axes = {}, L2NormalizeOptions o = {},
                   Location where = Location::Current());

}  // namespace headrace
