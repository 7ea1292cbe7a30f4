// Files of images to pixels.
//
//   Output image = DecodeJpeg(ReadFile("a.jpg"), {.channels = 3});
//   Output part = DecodeAndCropJpeg(bytes, {8, 8, 224, 224}, {.channels = 3});
//
// A decoder looks at the bytes, not at its name: DecodeJpeg, DecodePng and DecodeGif each read JPEG, PNG
// and GIF files, as TensorFlow's do. DTypes: string -> uint8 unless said otherwise. Gradient: none.
// Errors: InvalidArgument for bytes that are no image, damaged, cut short, or that promise more pixels
// than they can hold.
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct DecodeJpegOptions {
  int64_t channels = 0;  // 0: as the file has them; 1: gray; 3: RGB
  int64_t ratio = 1;     // smaller by 1, 2, 4 or 8
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  float acceptable_fraction = 1.0f;
  std::string dct_method;  // "INTEGER_FAST" (also ""), "INTEGER_ACCURATE"
  std::string name;
};
// Shapes: `[] -> [height, width, channels]`. A GIF of several frames is an error. Source: TensorFlow
// DecodeJpeg.
Output DecodeJpeg(Output contents, DecodeJpegOptions o = {}, Location where = Location::Current());
// The part that `crop_window` int32 [4] = [y, x, height, width] names; blocks outside of it are not decoded.
// Source: TensorFlow DecodeAndCropJpeg.
Output DecodeAndCropJpeg(Output contents, Output crop_window, DecodeJpegOptions o = {},
                         Location where = Location::Current());
struct ExtractJpegShapeOptions {
  DType output_type = DType::kInt32;  // or int64
  std::string name;
};
// [height, width, channels] of a JPEG, from its header. Shapes: `[] -> [3]`. Source: TensorFlow
// ExtractJpegShape.
Output ExtractJpegShape(Output contents, ExtractJpegShapeOptions o = {},
                        Location where = Location::Current());

struct DecodePngOptions {
  int64_t channels = 0;         // 0: as the file has them; 1 gray, 3 RGB, 4 RGBA
  DType dtype = DType::kUInt8;  // or uint16
  std::string name;
};
// Shapes: `[] -> [height, width, channels]`. Source: TensorFlow DecodePng.
Output DecodePng(Output contents, DecodePngOptions o = {}, Location where = Location::Current());

// Every frame. Shapes: `[] -> [frames, height, width, 3]`. Source: TensorFlow DecodeGif.
Output DecodeGif(Output contents, OpOptions o = {}, Location where = Location::Current());

struct DecodeBmpOptions {
  int64_t channels = 0;  // 0: as the file has them; else what it has: 1, 3, 4
  std::string name;
};
// Shapes: `[] -> [height, width, channels]`. Source: TensorFlow DecodeBmp.
Output DecodeBmp(Output contents, DecodeBmpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
