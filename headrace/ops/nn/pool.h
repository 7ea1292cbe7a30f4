// Pooling: the largest, or the mean, of the elements of each window.
//
//   Output y = MaxPool(x, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2, 1}, .padding = "SAME"});
#pragma once

#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct PoolOptions {
  std::vector<int64_t> ksize = {1, 2, 2, 1};  // by dimension of the input; 1 for the batch
  std::vector<int64_t> strides = {1, 2, 2, 1};
  std::string padding = "SAME";      // or "VALID": windows lie within the image
  std::string data_format = "NHWC";  // or "NCHW"
  std::string name;
};

// Shapes: `[n, h, w, c] -> [n, oh, ow, c]`, oh = ceil(h / stride) with "SAME". Padding is never the
// maximum, and does not count in a mean. Errors: InvalidArgument for another rank or a window
// larger than the image; Unimplemented for windows over the batch.

// DTypes: floats, int8, int16, int32, int64, uint8, uint16. May pool over channels instead (ksize
// {1, 1, 1, k}, stride k). NaN is passed over. Gradient: MaxPoolGrad, to the first of equal
// elements; differentiable again. Source: TensorFlow MaxPool.
Output MaxPool(Output input, PoolOptions o = {}, Location where = Location::Current());
// DTypes: float16, float32, float64. Gradient: AvgPoolGrad, whose own is AvgPool. Source:
// TensorFlow AvgPool.
Output AvgPool(Output value, PoolOptions o = {}, Location where = Location::Current());

// `grad`, which has the shape of the output, goes to the largest element of each window of
// `orig_input`.
Output MaxPoolGrad(Output orig_input, Output orig_output, Output grad, PoolOptions o = {},
                   Location where = Location::Current());
// The reverse: of `grad`, which has the shape of the input, what lies where each window has its
// largest element.
Output MaxPoolGradGrad(Output orig_input, Output orig_output, Output grad, PoolOptions o = {},
                       Location where = Location::Current());
// `grad` spread evenly over each window. Shapes: `[4], [n, oh, ow, c] -> orig_input_shape`.
Output AvgPoolGrad(Output orig_input_shape, Output grad, PoolOptions o = {},
                   Location where = Location::Current());

// The same with ksize and strides (int32, 4 numbers each) as inputs; those of the options do not
// count. Source: TensorFlow MaxPoolV2, MaxPoolGradV2, MaxPoolGradGradV2.
Output MaxPoolV2(Output input, IntArg ksize, IntArg strides, PoolOptions o = {},
                 Location where = Location::Current());
Output MaxPoolGradV2(Output orig_input, Output orig_output, Output grad, Output ksize,
                     Output strides, PoolOptions o = {}, Location where = Location::Current());
Output MaxPoolGradGradV2(Output orig_input, Output orig_output, Output grad, Output ksize,
                         Output strides, PoolOptions o = {}, Location where = Location::Current());

}  // namespace headrace
