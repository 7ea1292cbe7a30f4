// Windows of images that may reach beyond their borders.
//
//   Output seen = ExtractGlimpse(images, {8, 8}, offsets);      // [n, h, w, c] -> [n, 8, 8, c]
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct ExtractGlimpseOptions {
  bool centered = true;           // offsets count from the middle of the image
  bool normalized = true;         // and 1 is its end; else they are pixels
  std::string noise = "uniform";  // what lies outside: "uniform", "gaussian" or "zero"
  std::string name;
};
// A window of `size` around each row {y, x} of `offsets`. Noise has the range (or mean and
// deviation) of the image, and the same values in every step; TensorFlow's differ.
// Shapes: `[n, h, w, c], [2], [n, 2] -> [n, size[0], size[1], c]`. DTypes: float32. Errors:
// InvalidArgument for other shapes, sizes below 1. Gradient: stops. Source: TensorFlow
// ExtractGlimpse.
Output ExtractGlimpse(Output input, IntArg size, Output offsets, ExtractGlimpseOptions o = {},
                      Location where = Location::Current());

}  // namespace headrace
