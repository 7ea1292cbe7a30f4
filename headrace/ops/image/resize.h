// Images of another size.
//
//   Output small = ResizeBilinear(images, {224, 224});     // [n, h, w, c] -> [n, 224, 224, c]
//   Output wide = ResizeNearestNeighbor(images, size, {.align_corners = true});
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct ResizeOptions {
  bool align_corners = false;       // the centres of corner pixels stay where they are
  bool half_pixel_centers = false;  // pixel i is the interval [i, i + 1]
  std::string name;
};

// Between the four neighbours of each new pixel.
// Shapes: `[n, h, w, c], [2] -> [n, size[0], size[1], c]`. DTypes: real numbers -> float32. Errors:
// InvalidArgument for another rank, images or sizes without pixels, both options at once. Gradient:
// yes, differentiable again. Source: TensorFlow ResizeBilinear.
Output ResizeBilinear(Output images, IntArg size, ResizeOptions o = {},
                      Location where = Location::Current());
// Between sixteen neighbours, by Keys' cubic kernel (a = -0.5 with half_pixel_centers, else -0.75).
// Otherwise as ResizeBilinear; gradient for images of float32 and float64. Source: TensorFlow
// ResizeBicubic; Keys, Cubic Convolution Interpolation for Digital Image Processing, 1981.
Output ResizeBicubic(Output images, IntArg size, ResizeOptions o = {},
                     Location where = Location::Current());
// The nearest pixel. DTypes: real numbers -> the same. Gradient: yes, differentiable again. Source:
// TensorFlow ResizeNearestNeighbor.
Output ResizeNearestNeighbor(Output images, IntArg size, ResizeOptions o = {},
                             Location where = Location::Current());
// The mean over the area that a new pixel covers. DTypes: real numbers -> float32. Gradient: none.
// Source: TensorFlow ResizeArea.
struct ResizeAreaOptions {
  bool align_corners = false;
  std::string name;
};
Output ResizeArea(Output images, IntArg size, ResizeAreaOptions o = {},
                  Location where = Location::Current());

// What the gradients of the above are made of.
Output ResizeBilinearGrad(Output grads, Output original_image, ResizeOptions o = {},
                          Location where = Location::Current());
Output ResizeBicubicGrad(Output grads, Output original_image, ResizeOptions o = {},
                         Location where = Location::Current());
Output ResizeNearestNeighborGrad(Output grads, IntArg size, ResizeOptions o = {},
                                 Location where = Location::Current());

}  // namespace headrace
