// Convolution over volumes: video, scans.
//
//   Output y = Conv3D(volumes, filter, {.strides = {1, 1, 2, 2, 1}, .padding = "SAME"});
#pragma once

#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct Conv3DOptions {
  // By dimension of the input; 1 for batch and channels.
  std::vector<int64_t> strides = {1, 1, 1, 1, 1};
  std::string padding = "SAME";                      // or "VALID"
  std::string data_format = "NDHWC";                 // or "NCDHW"
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};  // distance of a window's elements
  std::string name;
};

// Shapes: `[n, d, h, w, c], [kd, kh, kw, c, k] -> [n, od, oh, ow, k]` ("NCDHW": channels second).
// With "SAME", od = ceil(d / stride), zeros around; with "VALID", windows lie within the volume.
// DTypes: float16 (computed in float32), float32, float64. Errors: InvalidArgument for another rank
// or depth, a window larger than the volume. Gradient: Conv3DBackpropInputV2 and
// Conv3DBackpropFilterV2, whose own are convolutions. Source: TensorFlow Conv3D; unlike its CPU
// kernels, these take dilations and both layouts.
Output Conv3D(Output input, Output filter, Conv3DOptions o = {},
              Location where = Location::Current());

// Gradient by the input, which has shape `input_sizes` (int32 or int64, 5 numbers). Shapes: `[5],
// [kd, kh, kw, c, k], [n, od, oh, ow, k] -> input_sizes`. Source: TensorFlow Conv3DBackpropInputV2.
Output Conv3DBackpropInput(IntArg input_sizes, Output filter, Output out_backprop,
                           Conv3DOptions o = {}, Location where = Location::Current());
// Gradient by the filter, which has shape `filter_sizes` (int32). The bits do not depend on the
// number of threads. Source: TensorFlow Conv3DBackpropFilterV2.
Output Conv3DBackpropFilter(Output input, IntArg filter_sizes, Output out_backprop,
                            Conv3DOptions o = {}, Location where = Location::Current());

}  // namespace headrace
