// JPEG images of any bytes, decoded with any options; what can be read can be written and read again.
#include <cstdint>

#include "headrace/io/jpeg.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  headrace::JpegDecodeOptions options{.channels = (data[0] & 3) == 2 ? 1 : data[0] & 3,
                                      .ratio = 1 << (data[0] >> 2 & 3),
                                      .fancy_upscaling = (data[0] & 16) != 0,
                                      .try_recover_truncated = (data[0] & 32) != 0,
                                      .acceptable_fraction = (data[0] & 64) != 0 ? 0.25f : 1.0f};
  // A file that is decoded in spite of its end may state any size: the limit of that is gigabytes.
  const auto shape = headrace::ReadJpegShape(bytes);
  if (!shape.ok() || (*shape)[0] * (*shape)[1] > int64_t{1} << 22) return 0;
  if ((data[1] & 1) != 0)
    options.crop = headrace::ImageWindow{data[1] >> 4, data[1] >> 2 & 7, 1 + (data[1] >> 1 & 7), 5};
  const auto image = headrace::DecodeJpeg(bytes, options);
  if (!image.ok()) return 0;
  const auto again = headrace::EncodeJpeg(*image, {.quality = data[1] % 101});
  if (!again.ok() || !headrace::DecodeJpeg(*again).ok()) __builtin_trap();
  return 0;
}
