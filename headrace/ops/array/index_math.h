// Looking things up by number: places in sorted rows, and flat indices as coordinates.
//
//   Output at = LowerBound(sorted, values);      // [b, n], [b, m] -> [b, m]
//   Output c = UnravelIndex(indices, {3, 4});    // 7 -> [1, 3]
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct SearchOptions {
  DType out_type = DType::kInt32;  // or int64
  std::string name;
};
// Row by row, for each value: how many of the sorted numbers are less than it (LowerBound), or not
// greater (UpperBound). Shapes: `[b, n], [b, m] -> [b, m]`. DTypes: real numbers. Errors:
// InvalidArgument for other ranks or a different number of rows. Gradient: error. Source:
// TensorFlow LowerBound, UpperBound (tf.searchsorted).
Output LowerBound(Output sorted_inputs, Output values, SearchOptions o = {},
                  Location where = Location::Current());
Output UpperBound(Output sorted_inputs, Output values, SearchOptions o = {},
                  Location where = Location::Current());

// The coordinates of elements of a tensor of shape `dims`. Shapes: `[], [r] -> [r]`; `[n], [r] ->
// [r, n]`. DTypes: int32, int64. Errors: InvalidArgument "index is out of bound as with dims".
// Gradient: error. Source: TensorFlow UnravelIndex.
Output UnravelIndex(Output indices, IntArg dims, OpOptions o = {},
                    Location where = Location::Current());

}  // namespace headrace
