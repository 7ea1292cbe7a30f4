// Where the largest or smallest element is.
//
//   Output predicted = ArgMax(logits, 1);      // [n, classes] -> [n], int64
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct ArgReduceOptions {
  DType output_type = DType::kInt64;  // or int32
  std::string name;
};
// Shapes: the axis is dropped. Of equal elements the first; NaN is passed over. DTypes: real
// numbers. Errors: InvalidArgument for an axis outside [-rank, rank) or of dimension 0. Gradient:
// none. Source: TensorFlow ArgMax, ArgMin.
Output ArgMax(Output x, IntArg axis, ArgReduceOptions o = {}, Location where = Location::Current());
Output ArgMin(Output x, IntArg axis, ArgReduceOptions o = {}, Location where = Location::Current());

}  // namespace headrace
