// The element that would be at a place if each row were sorted.
//
//   Output median = NthElement(x, Const(g, 2));      // [..., 5] -> [...]
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct NthElementOptions {
  bool reverse = false;  // from the largest
  std::string name;
};
// Shapes: `[..., d], [] -> [...]`. DTypes: real numbers; n int32. Errors: InvalidArgument for a
// scalar input, n outside [0, d). Gradient: shared among the elements that equal it. Source:
// TensorFlow NthElement.
Output NthElement(Output input, IntArg n, NthElementOptions o = {},
                  Location where = Location::Current());

}  // namespace headrace
