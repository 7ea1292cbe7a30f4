// Convolution over images.
//
//   Output y = Conv2D(images, filter, {.strides = {1, 2, 2, 1}, .padding = "SAME"});
#pragma once

#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct Conv2DOptions {
  std::vector<int64_t> strides = {1, 1, 1,
                                  1};  // by dimension of the input; 1 for batch and channels
  std::string padding = "SAME";        // or "VALID", "EXPLICIT"
  // For "EXPLICIT": before and after, for each dimension.
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";  // or "NCHW"
  std::vector<int64_t> dilations = {1, 1, 1, 1};  // distance of a window's elements
  bool use_cudnn_on_gpu = true;                   // kept for graph files
  std::string name;
};

// Shapes: `[n, h, w, c], [kh, kw, c, d] -> [n, oh, ow, d]` ("NCHW": channels second). With "SAME",
// oh = ceil(h / stride), zeros around; with "VALID", windows lie within the image. DTypes: float16
// (computed in float32), float32, float64. Errors: InvalidArgument for another rank or depth, a
// window larger than the image. Gradient: Conv2DBackpropInput and Conv2DBackpropFilter, whose own
// are convolutions. Source: TensorFlow Conv2D.
Output Conv2D(Output input, Output filter, Conv2DOptions o = {},
              Location where = Location::Current());

// Gradient by the input, which has shape `input_sizes` (int32, 4 numbers); also the transposed
// convolution. Shapes: `[4], [kh, kw, c, d], [n, oh, ow, d] -> input_sizes`. Source: TensorFlow
// Conv2DBackpropInput.
Output Conv2DBackpropInput(IntArg input_sizes, Output filter, Output out_backprop,
                           Conv2DOptions o = {}, Location where = Location::Current());
// Gradient by the filter, which has shape `filter_sizes`. The sum over images is cut into groups by
// the shapes alone, so that the bits do not depend on the number of threads. Source: TensorFlow
// Conv2DBackpropFilter.
Output Conv2DBackpropFilter(Output input, IntArg filter_sizes, Output out_backprop,
                            Conv2DOptions o = {}, Location where = Location::Current());

}  // namespace headrace
