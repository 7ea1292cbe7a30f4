#include "headrace/io/bmp.h"

#include <cstring>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

// Little endian, at a place that was checked.
template <class T>
T Field(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = sizeof(T); i-- > 0;) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return static_cast<T>(value);
}

// One row of pixels, blue first, as red first.
void CopyRow(const uint8_t* from, int64_t width, int64_t channels, uint8_t* to) {
  if (channels == 1) {
    std::memcpy(to, from, static_cast<size_t>(width));
    return;
  }
  for (int64_t x = 0; x < width; ++x, from += channels, to += channels) {
    to[0] = from[2];
    to[1] = from[1];
    to[2] = from[0];
    if (channels == 4) to[3] = from[3];
  }
}

}  // namespace

StatusOr<Tensor> DecodeBmp(std::string_view bytes, int channels) {
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
    return InvalidArgument("channels must be 0, 1, 3 or 4, got ", channels);
  if (bytes.size() < 32) {
    return InvalidArgument(
        "Incomplete bmp content, requires at least 32 bytes to find the header size, width, "
        "height, and bpp, got ",
        bytes.size(), " bytes");
  }
  const auto begin = int64_t{Field<int32_t>(bytes, 10)};
  const auto width = int64_t{Field<int32_t>(bytes, 18)};
  const auto signed_height = int64_t{Field<int32_t>(bytes, 22)};  // below 0: rows from above
  const auto bits = int64_t{Field<uint16_t>(bytes, 28)};
  const int64_t in_file = bits / 8;
  if (channels != 0 && channels != in_file) {
    return InvalidArgument("channels attribute ", channels,
                           " does not match bits per pixel from file ", in_file);
  }
  if (in_file != 1 && in_file != 3 && in_file != 4)
    return InvalidArgument("Number of channels must be 1, 3 or 4, was ", in_file);
  if (width <= 0) return InvalidArgument("Width must be positive, but got ", width);
  if (signed_height == 0) return InvalidArgument("Height must be nonzero, but got 0");
  if (begin < 0) return InvalidArgument("Header size must not be negative, but got ", begin);
  const int64_t height = signed_height < 0 ? -signed_height : signed_height;
  const int64_t row = (8 * in_file * width + 31) / 32 * 4;  // rows take whole words
  const auto size = static_cast<int64_t>(bytes.size());
  // The last row needs no padding. Nothing here is larger than 2^31 * 2^33, so divide.
  if (begin > size || (size - begin + row - in_file * width) / row < height) {
    return InvalidArgument("Incomplete bmp content, requires at least ", begin, " + ", height,
                           " rows of ", row, " bytes, got ", size, " bytes");
  }
  HR_ASSIGN_OR_RETURN(Tensor image, Tensor::Allocate(HostAllocator(), DType::kUInt8,
                                                     Shape{height, width, in_file}, "BMP"));
  const auto* rows = reinterpret_cast<const uint8_t*>(bytes.data()) + begin;
  uint8_t* to = image.data<uint8_t>();
  for (int64_t y = 0; y < height; ++y, to += width * in_file)
    CopyRow(rows + (signed_height < 0 ? y : height - 1 - y) * row, width, in_file, to);
  return image;
}

}  // namespace headrace
