// Convolutions that are made of other ops, as TensorFlow's Python functions of the same names make
// them: the same nodes under the same names.
//
//   Output y = Conv1D(sequences, filters, {.stride = 2});                       // [n, w, c] -> [n,
//   ow, d] Output up = Conv2DTranspose(x, filter, {8, 28, 28, 16}, {.strides = {1, 2, 2, 1}});
//   Output z = SeparableConv2D(images, depthwise, pointwise, {.strides = {1, 1, 1, 1}});
#pragma once

#include "headrace/ops/nn/conv2d.h"
#include "headrace/ops/nn/conv3d.h"

namespace headrace {

struct Conv1DOptions {
  int64_t stride = 1;
  std::string padding = "SAME";     // or "VALID"
  std::string data_format = "NWC";  // or "NCW"
  int64_t dilation = 1;
  std::string name;
};
// Shapes: `[n, w, c], [k, c, d] -> [n, ow, d]`. DTypes, Errors, Gradient: as Conv2D, which computes
// it over images of one row. Source: tf.nn.conv1d.
Output Conv1D(Output value, Output filters, Conv1DOptions o = {},
              Location where = Location::Current());

// The transposed convolution: what Conv2D's gradient by its input computes. Shapes: `[n, h, w, d],
// [kh, kw, c, d] -> output_shape`, which a convolution with these options brings back to that of
// `value`. DTypes: as Conv2D. Gradient: convolutions. Source: tf.nn.conv2d_transpose.
Output Conv2DTranspose(Output value, Output filter, IntArg output_shape, Conv2DOptions o = {},
                       Location where = Location::Current());
// The same over volumes. Source: tf.nn.conv3d_transpose.
Output Conv3DTranspose(Output value, Output filter, IntArg output_shape, Conv3DOptions o = {},
                       Location where = Location::Current());

// Convolution with holes: the elements of a window are `rate` apart. Where the sizes of images and
// filter are known, a plain convolution of the blocks of SpaceToBatchND; else, unlike TensorFlow's,
// Conv2D with dilations. Shapes: `[n, h, w, c], [kh, kw, c, d] -> [n, oh, ow, d]`. Errors:
// InvalidArgument for a rate below 1. Source: tf.nn.atrous_conv2d.
struct AtrousConv2DOptions {
  int64_t rate = 1;
  std::string padding = "SAME";  // or "VALID"
  std::string name;
};
Output AtrousConv2D(Output value, Output filters, AtrousConv2DOptions o = {},
                    Location where = Location::Current());

// A filter for each channel, then one of size 1 over all of them. Shapes: `[n, h, w, c], [kh, kw,
// c, m], [1, 1, c * m, d] -> [n, oh, ow, d]`. A `rate` above 1 as in AtrousConv2D; then strides
// must be
// 1. Source: tf.nn.separable_conv2d.
struct SeparableConv2DOptions {
  std::vector<int64_t> strides = {1, 1, 1, 1};
  std::string padding = "SAME";        // or "VALID"
  std::vector<int64_t> rate = {1, 1};  // of rows and columns
  std::string data_format = "NHWC";    // or "NCHW"
  std::string name;
};
Output SeparableConv2D(Output input, Output depthwise_filter, Output pointwise_filter,
                       SeparableConv2DOptions o = {}, Location where = Location::Current());

}  // namespace headrace
