// Boxes cut out of images and brought to one size.
//
//   Output crops = CropAndResize(images, boxes, image_of_box, {7, 7});   // [m, 7, 7, c]
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct CropAndResizeOptions {
  std::string method = "bilinear";  // or "nearest"
  float extrapolation_value = 0;    // of what lies outside the image
  std::string name;
};

// Box i is [y1, x1, y2, x2] of image box_ind[i], where 0 and 1 are the centres of the first and last
// pixel; y1 > y2 turns it upside down.
// Shapes: `[n, h, w, c], [m, 4], [m], [2] -> [m, size[0], size[1], c]`. DTypes: real numbers ->
// float32. Errors: InvalidArgument for other shapes and sizes below 1, OutOfRange for a box of an
// image that is not there. Gradient: to images (floating ones) and boxes, the latter as if bilinear.
// Source: TensorFlow CropAndResize.
Output CropAndResize(Output image, Output boxes, Output box_ind, IntArg crop_size,
                     CropAndResizeOptions o = {}, Location where = Location::Current());

struct CropAndResizeGradOptions {
  std::string method = "bilinear";
  std::string name;
};
// What the gradient is made of: by the images, of `type` and shape `image_size`, and by the boxes.
Output CropAndResizeGradImage(Output grads, Output boxes, Output box_ind, IntArg image_size,
                              DType type, CropAndResizeGradOptions o = {},
                              Location where = Location::Current());
Output CropAndResizeGradBoxes(Output grads, Output image, Output boxes, Output box_ind,
                              OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
