// Grey-scale dilation of images: the largest sum of image and filter in each window.
//
//   Output y = Dilation2D(x, filter, {.padding = "SAME"});    // [n, h, w, c], [kh, kw, c] -> [n,
//   h, w, c]
#pragma once

#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct Dilation2DOptions {
  std::vector<int64_t> strides = {1, 1, 1, 1};  // by dimension of the input; 1 for batch, channels
  std::vector<int64_t> rates = {1, 1, 1, 1};    // distance of a window's elements
  std::string padding = "SAME";                 // or "VALID"
  std::string name;
};
// out[n, y, x, c] = max over (i, j) of input[n, y * stride + i * rate, ..., c] + filter[i, j, c].
// Shapes: `[n, h, w, c], [kh, kw, c] -> [n, oh, ow, c]`. DTypes: real numbers. Errors:
// InvalidArgument for another rank or other channels, a window larger than the image; Unimplemented
// for strides or rates over batch or channels. Gradient: the two ops below, once: to the first of
// equal sums. Source: TensorFlow Dilation2D.
Output Dilation2D(Output input, Output filter, Dilation2DOptions o = {},
                  Location where = Location::Current());
Output Dilation2DBackpropInput(Output input, Output filter, Output out_backprop,
                               Dilation2DOptions o = {}, Location where = Location::Current());
Output Dilation2DBackpropFilter(Output input, Output filter, Output out_backprop,
                                Dilation2DOptions o = {}, Location where = Location::Current());

}  // namespace headrace
