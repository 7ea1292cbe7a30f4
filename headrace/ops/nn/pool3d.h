// Pooling over volumes: the largest, or the mean, of the elements of each window.
//
//   Output y = MaxPool3D(x, {.ksize = {1, 2, 2, 2, 1}, .strides = {1, 2, 2, 2, 1}});
#pragma once

#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct Pool3DOptions {
  std::vector<int64_t> ksize = {1, 2, 2, 2, 1};  // by dimension of the input; 1 for batch, channels
  std::vector<int64_t> strides = {1, 2, 2, 2, 1};
  std::string padding = "SAME";       // or "VALID": windows lie within the volume
  std::string data_format = "NDHWC";  // or "NCDHW"
  std::string name;
};

// Shapes: `[n, d, h, w, c] -> [n, od, oh, ow, c]`, od = ceil(d / stride) with "SAME". Padding is
// never the maximum, and does not count in a mean. Errors: InvalidArgument for another rank or a
// window larger than the volume; Unimplemented for windows over batch or channels.

// DTypes: float16, float32. NaN is passed over. Gradient: MaxPool3DGrad, to all of equal elements
// (MaxPool: to the first); differentiable again. Source: TensorFlow MaxPool3D; unlike its CPU
// kernels, these take both layouts.
Output MaxPool3D(Output input, Pool3DOptions o = {}, Location where = Location::Current());
// DTypes: float16, float32, float64. Gradient: AvgPool3DGrad, whose own is AvgPool3D. Source:
// TensorFlow AvgPool3D.
Output AvgPool3D(Output input, Pool3DOptions o = {}, Location where = Location::Current());

// `grad`, which has the shape of the output, goes to the elements of each window of `orig_input`
// that equal its maximum.
Output MaxPool3DGrad(Output orig_input, Output orig_output, Output grad, Pool3DOptions o = {},
                     Location where = Location::Current());
// Of `grad`, which has the shape of the input, what lies where each window has its (first) largest
// element. DTypes: as MaxPool3D, and float64.
Output MaxPool3DGradGrad(Output orig_input, Output orig_output, Output grad, Pool3DOptions o = {},
                         Location where = Location::Current());
// `grad` spread evenly over each window. Shapes: `[5], [n, od, oh, ow, c] -> orig_input_shape`.
Output AvgPool3DGrad(Output orig_input_shape, Output grad, Pool3DOptions o = {},
                     Location where = Location::Current());

}  // namespace headrace
