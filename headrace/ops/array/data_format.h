// Dimension numbers and vectors by dimension, brought from one layout of images to another.
//
//   Output axis = DataFormatDimMap(Const(g, 3));                      // NHWC -> NCHW: 1
//   Output strides = DataFormatVecPermute(Const(g, {1, 2, 3, 4}));    // [1, 4, 2, 3]
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct DataFormatOptions {
  std::string src_format = "NHWC";  // 4 or 5 letters for dimensions
  std::string dst_format = "NCHW";  // the same letters in another order
  std::string name;
};
// The number in the destination format of each dimension; negative ones count from the end. Shapes:
// any -> the same. DTypes: int32, int64. Errors: InvalidArgument for formats of another length or
// with other letters. Source: TensorFlow DataFormatDimMap.
Output DataFormatDimMap(Output x, DataFormatOptions o = {}, Location where = Location::Current());
// Values (`[4]`) or pairs of values (`[4, 2]`) by dimension, in the order of the destination
// format. DTypes: int32, int64. Source: TensorFlow DataFormatVecPermute.
Output DataFormatVecPermute(Output x, DataFormatOptions o = {},
                            Location where = Location::Current());

}  // namespace headrace
