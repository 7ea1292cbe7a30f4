// A dense tensor from the values at a few places.
//
//   Output y = SparseToDense(Const(g, {1, 3}), {5}, Const(g, {7.0f, 8.0f}));     // [0 7 0 8 0]
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct SparseToDenseOptions {
  double default_value = 0;      // everywhere else
  bool validate_indices = true;  // they must be in order, none twice; else the last one counts
  std::string name;
};
// Shapes: `sparse_indices` `[n, r]` (or `[n]`, or a scalar, for vectors), `[r]`, values `[n]` or
// one for all places -> output_shape. DTypes: values real, complex, bool, string; indices int32,
// int64. Errors: InvalidArgument for another number of values or dimensions, an index out of
// bounds, indices out of order or repeated. Gradient: to the values, and to the default. Source:
// TensorFlow SparseToDense.
Output SparseToDense(Output sparse_indices, IntArg output_shape, Output sparse_values,
                     SparseToDenseOptions o = {}, Location where = Location::Current());

}  // namespace headrace
