// Running sums and products along an axis.
//
//   Output s = Cumsum(x, 0);                           // [1, 2, 3] -> [1, 3, 6]
//   Output s = Cumsum(x, 0, {.exclusive = true});      // [1, 2, 3] -> [0, 1, 3]
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct CumulativeOptions {
  bool exclusive = false;  // without the element itself
  bool reverse = false;    // from the end
  std::string name;
};
// Shapes: `[...] -> [...]`. DTypes: numbers. Errors: InvalidArgument for an axis outside [-rank,
// rank). Gradient: of Cumprod NaN where x is 0, as in TensorFlow. Source: TensorFlow Cumsum,
// Cumprod.
Output Cumsum(Output x, IntArg axis, CumulativeOptions o = {},
              Location where = Location::Current());
Output Cumprod(Output x, IntArg axis, CumulativeOptions o = {},
               Location where = Location::Current());

// log of the running sums of exp(x), without overflow. Exclusive ones start with the lowest number
// of the dtype. DTypes: float16, float32, float64. Source: TensorFlow CumulativeLogsumexp.
Output CumulativeLogsumexp(Output x, IntArg axis, CumulativeOptions o = {},
                           Location where = Location::Current());

}  // namespace headrace
