// Class numbers as vectors with a single one.
//
//   Output y = OneHot(labels, 10);       // [n] -> [n, 10], float32
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct OneHotOptions {
  Output on_value, off_value;  // scalars of one dtype; default 1 and 0 of `dtype`
  DType dtype = DType::kFloat32;
  int64_t axis = -1;  // of the new dimension; -1 = last
  std::string name;
};
// An index outside [0, depth) gives a row of off_value. DTypes: indices uint8, int32, int64; values
// every one. Errors: InvalidArgument for a negative depth, an axis above the rank. Gradient: none.
// Source: TensorFlow OneHot.
Output OneHot(Output indices, IntArg depth, OneHotOptions o = {},
              Location where = Location::Current());

}  // namespace headrace
