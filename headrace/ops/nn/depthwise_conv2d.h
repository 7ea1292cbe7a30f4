// Convolution of each channel with filters of its own.
//
//   Output y = DepthwiseConv2dNative(images, filter, {.strides = {1, 2, 2, 1}, .padding = "SAME"});
#pragma once

#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct DepthwiseConv2dOptions {
  std::vector<int64_t> strides = {1, 1, 1,
                                  1};  // by dimension of the input; 1 for batch and channels
  std::string padding = "SAME";        // or "VALID"
  std::string data_format = "NHWC";    // or "NCHW"
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string name;
};
// Shapes: `[n, h, w, c], [kh, kw, c, m] -> [n, oh, ow, c * m]`: channel i gives channels i * m to i
// * m + m - 1. DTypes: float16 (computed in float32), float32, float64. Errors: as Conv2D.
// Gradient: the two ops below, whose own are such convolutions. Source: TensorFlow
// DepthwiseConv2dNative.
Output DepthwiseConv2dNative(Output input, Output filter, DepthwiseConv2dOptions o = {},
                             Location where = Location::Current());
// Gradient by the input, whose shape `input_sizes` holds.
Output DepthwiseConv2dNativeBackpropInput(Output input_sizes, Output filter, Output out_backprop,
                                          DepthwiseConv2dOptions o = {},
                                          Location where = Location::Current());
// Gradient by the filter, whose shape `filter_sizes` holds. The bits do not depend on the number of
// threads.
Output DepthwiseConv2dNativeBackpropFilter(Output input, Output filter_sizes, Output out_backprop,
                                           DepthwiseConv2dOptions o = {},
                                           Location where = Location::Current());

}  // namespace headrace
