// A number for each channel, added everywhere.
//
//   Output y = BiasAdd(Conv2D(x, w), b);
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct BiasAddOptions {
  std::string data_format = "NHWC";  // channels in the last dimension; "NCHW": in dimension 1
  std::string name;
};
// Shapes: `[..., C], [C] -> [..., C]` ("NCHW": `[N, C, ...], [C] -> [N, C, ...]`), rank 2 at least.
// DTypes: numbers. Errors: InvalidArgument for another rank, or another number of channels.
// Gradient: the incoming one, and its BiasAddGrad; any number of times. Source: TensorFlow BiasAdd.
Output BiasAdd(Output value, Output bias, BiasAddOptions o = {},
               Location where = Location::Current());
// Sum over all dimensions but that of the channels: `[..., C] -> [C]`. The order of summation
// depends on the shape alone.
Output BiasAddGrad(Output out_backprop, BiasAddOptions o = {},
                   Location where = Location::Current());
// The same as BiasAdd without data_format. Source: TensorFlow BiasAddV1.
Output BiasAddV1(Output value, Output bias, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
