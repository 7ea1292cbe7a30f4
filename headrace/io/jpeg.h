// JPEG images to and from uint8 tensors of shape [height, width, channels]; channels: 1 gray, 3 RGB.
//
//   HR_ASSIGN_OR_RETURN(Tensor image, DecodeJpeg(bytes, {.channels = 3, .ratio = 2}));
//   HR_ASSIGN_OR_RETURN(std::string again, EncodeJpeg(image, {.quality = 90}));
//
// The pixels are those of TensorFlow 1: the fast integer transform is the default of decoding. Sizes in
// a header are checked before memory is taken for them. Stateless, thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// In pixels of the decoded image.
struct ImageWindow {
  int64_t y = 0, x = 0, height = 0, width = 0;
};

enum class JpegTransform { kIntegerFast, kIntegerAccurate };

struct JpegDecodeOptions {
  int channels = 0;                    // 0: as the file has them, at most 3; 1; 3
  int ratio = 1;                       // the image is made smaller by 1, 2, 4 or 8
  bool fancy_upscaling = true;         // of chroma: smooth, slower
  bool try_recover_truncated = false;  // a file that ends early is decoded with gray for the rest
  // Rows that must be there, of 1; what is missing is black.
  float acceptable_fraction = 1.0f;
  JpegTransform transform = JpegTransform::kIntegerFast;
  std::optional<ImageWindow> crop = std::nullopt;  // decodes this part only
};
// Errors: InvalidArgument for options out of range, for bytes that are no JPEG, that are damaged or
// cut short, and for a window that does not lie in the image.
StatusOr<Tensor> DecodeJpeg(std::string_view bytes, const JpegDecodeOptions& options = {});

// [height, width, channels] from the header alone. Errors: InvalidArgument.
StatusOr<Shape> ReadJpegShape(std::string_view bytes);

struct JpegEncodeOptions {
  int quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;           // smaller, slower
  bool chroma_downsampling = true;      // half the resolution of colours
  bool density_per_centimetre = false;  // else per inch
  int x_density = 300, y_density = 300;
  std::string xmp_metadata;
};
// `image`: uint8, [height, width, 1 or 3]. Errors: InvalidArgument.
StatusOr<std::string> EncodeJpeg(const Tensor& image, const JpegEncodeOptions& options = {});

}  // namespace headrace
