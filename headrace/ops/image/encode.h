// Pixels to files of images.
//
//   Output bytes = EncodeJpeg(image, {.quality = 90});
//
// Gradient: none.
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct EncodeJpegOptions {
  std::string format;    // "": by the image's channels; "grayscale", "rgb"
  int64_t quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;       // smaller, slower
  bool chroma_downsampling = true;  // half the resolution of colours
  std::string density_unit = "in";  // of x_density and y_density, pixels per inch; "cm"
  int64_t x_density = 300, y_density = 300;
  std::string xmp_metadata;
  std::string name;
};
// Shapes: `[height, width, 1 or 3] -> []`. DTypes: uint8 -> string. Errors: InvalidArgument for other
// channels, an option out of range. Source: TensorFlow EncodeJpeg.
Output EncodeJpeg(Output image, EncodeJpegOptions o = {}, Location where = Location::Current());
// With a quality that is an int32 scalar of the graph. Source: TensorFlow EncodeJpegVariableQuality.
Output EncodeJpegVariableQuality(Output image, Output quality, OpOptions o = {},
                                 Location where = Location::Current());

struct EncodePngOptions {
  int64_t compression = -1;  // 0 to 9; -1: the library's choice
  std::string name;
};
// Shapes: `[height, width, 1 to 4] -> []`. DTypes: uint8, uint16 -> string. Source: TensorFlow EncodePng.
Output EncodePng(Output image, EncodePngOptions o = {}, Location where = Location::Current());

}  // namespace headrace
