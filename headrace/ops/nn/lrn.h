// Local response normalisation: a number is divided by a power of the squares around it in its
// pixel.
//
//   Output y = LRN(x, {.depth_radius = 4, .bias = 1, .alpha = 0.001f / 9, .beta = 0.75f});
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct LRNOptions {
  int64_t depth_radius = 5;  // channels on each side
  float bias = 1;
  float alpha = 1;
  float beta = 0.5f;
  std::string name;
};
// x / (bias + alpha * sum of squares of the channels within the radius)^beta. Shapes: `[n, h, w, c]
// -> [n, h, w, c]`. DTypes: float16, float32. Errors: InvalidArgument for another rank. Gradient:
// LRNGrad, once. Source: TensorFlow LRN; Krizhevsky et al., "ImageNet classification with deep
// convolutional neural networks", 2012.
Output LRN(Output input, LRNOptions o = {}, Location where = Location::Current());
// Gradient of LRN: of what flows in, the input and the output.
Output LRNGrad(Output input_grads, Output input_image, Output output_image, LRNOptions o = {},
               Location where = Location::Current());

}  // namespace headrace
