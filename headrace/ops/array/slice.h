// A box cut out of a tensor.
//
//   Output y = Slice(x, {0, 1}, {2, -1});    // 2 rows from row 0, all columns from column 1
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// `size[i]` elements from `begin[i]` on in dimension i; -1 = to the end. DTypes: every plain one,
// string. Errors: InvalidArgument "Expected size[1] in [0, 2], but got 3". Gradient: padded with
// zeros. Source: TensorFlow Slice.
Output Slice(Output x, IntArg begin, IntArg size, OpOptions o = {},
             Location where = Location::Current());

}  // namespace headrace
