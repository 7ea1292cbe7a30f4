// The windows of images and volumes as vectors.
//
//   // [n, h, w, c] -> [n, h, w, 9 * c]
//   Output p = ExtractImagePatches(x, {.ksizes = {1, 3, 3, 1}});
#pragma once

#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct ImagePatchesOptions {
  std::vector<int64_t> ksizes = {1, 1, 1, 1};   // of a window; 1 for batch and channels
  std::vector<int64_t> strides = {1, 1, 1, 1};  // from one window to the next
  std::vector<int64_t> rates = {1, 1, 1, 1};    // distance of a window's elements
  std::string padding = "SAME";                 // or "VALID": windows lie within the image
  std::string name;
};
// Each window's pixels row by row, each with all of its channels; zeros outside the image. Shapes:
// `[n, h, w, c] -> [n, oh, ow, kh * kw * c]`. DTypes: real numbers. Errors: InvalidArgument for
// another rank, a window larger than the image; Unimplemented for windows over batch or channels.
// Gradient: to each element, the sum over the windows that hold it. Source: TensorFlow
// ExtractImagePatches.
Output ExtractImagePatches(Output images, ImagePatchesOptions o = {},
                           Location where = Location::Current());

struct VolumePatchesOptions {
  std::vector<int64_t> ksizes = {1, 1, 1, 1, 1};
  std::vector<int64_t> strides = {1, 1, 1, 1, 1};
  std::string padding = "SAME";  // or "VALID"
  std::string name;
};
// The same over volumes. Shapes: `[n, d, h, w, c] -> [n, od, oh, ow, kd * kh * kw * c]`. Source:
// TensorFlow ExtractVolumePatches.
Output ExtractVolumePatches(Output input, VolumePatchesOptions o = {},
                            Location where = Location::Current());

}  // namespace headrace
