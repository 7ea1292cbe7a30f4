// Damaged files of images, and what they promise. Pixels are compared with TensorFlow's in
// tests/golden/ops/image_files.json.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "headrace/base/strings.h"
#include "headrace/io/bmp.h"
#include "headrace/io/gif.h"
#include "headrace/io/jpeg.h"
#include "headrace/io/png.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

Tensor Pattern(const Shape& shape) {
  Tensor t(DType::kUInt8, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i)
    t.data<uint8_t>()[i] = static_cast<uint8_t>(i * 37 + i / 7);
  return t;
}

template <class Image>
void ExpectRefused(const StatusOr<Image>& image, std::string_view text) {
  EXPECT_TRUE(absl::IsInvalidArgument(image.status())) << image.status();
  EXPECT_THAT(std::string(Message(image.status())), HasSubstr(std::string(text)));
}

TEST(Jpeg, DecodesWhatItEncodes) {
  for (const int64_t channels : {1, 3}) {
    Tensor black(DType::kUInt8, Shape{20, 33, channels});
    std::memset(black.raw_data(), 0, black.size_bytes());
    const std::string bytes = *EncodeJpeg(black);
    EXPECT_EQ(*ReadJpegShape(bytes), (Shape{20, 33, channels}));
    const Tensor image = *DecodeJpeg(bytes);
    EXPECT_EQ(image.shape(), (Shape{20, 33, channels}));
    for (const uint8_t value : image.flat<uint8_t>()) ASSERT_EQ(value, 0);
    EXPECT_EQ(DecodeJpeg(bytes, {.ratio = 4})->shape(), (Shape{5, 9, channels}));
  }
}

TEST(Jpeg, EndsWithAnErrorWhereverItIsCut) {
  const std::string bytes = *EncodeJpeg(Pattern({40, 40, 3}));
  for (size_t size = 0; size + 2 < bytes.size(); size += 7)
    ExpectRefused(DecodeJpeg(std::string_view(bytes).substr(0, size)), "Invalid JPEG data");
  const std::string_view most = std::string_view(bytes).substr(0, bytes.size() * 2 / 3);
  const Tensor part = *DecodeJpeg(most, {.acceptable_fraction = 0.3f});
  EXPECT_EQ(part.shape(), (Shape{40, 40, 3}));
  EXPECT_EQ(part.data<uint8_t>()[part.num_elements() - 1], 0);  // black where nothing came
  EXPECT_TRUE(DecodeJpeg(most, {.try_recover_truncated = true}).ok());
  // Ends in the middle of a block, with a byte that begins a marker.
  EXPECT_TRUE(
      DecodeJpeg(StrCat(most, std::string_view("\xff")), {.try_recover_truncated = true}).ok());
}

// The header's size at its place after the marker of the frame.
std::string WithSize(std::string bytes, int height, int width) {
  const size_t at = bytes.find("\xff\xc0") + 5;
  bytes[at] = static_cast<char>(height >> 8);
  bytes[at + 1] = static_cast<char>(height & 255);
  bytes[at + 2] = static_cast<char>(width >> 8);
  bytes[at + 3] = static_cast<char>(width & 255);
  return bytes;
}

TEST(Jpeg, RefusesSizesThatAreNotInTheFile) {
  const std::string bytes = *EncodeJpeg(Pattern({8, 8, 3}));
  ExpectRefused(DecodeJpeg(WithSize(bytes, 65000, 65000)), "is too large");
  ExpectRefused(DecodeJpeg(WithSize(bytes, 12000, 12000)), "pixels cannot be in");
  ExpectRefused(DecodeJpeg(WithSize(bytes, 65000, 65000), {.try_recover_truncated = true}),
                "is too large");
}

TEST(Jpeg, ChecksOptions) {
  const std::string bytes = *EncodeJpeg(Pattern({8, 8, 3}));
  ExpectRefused(DecodeJpeg(bytes, {.channels = 4}), "channels must be 0, 1, or 3 for JPEG, got 4");
  ExpectRefused(DecodeJpeg(bytes, {.ratio = 3}), "ratio must be 1, 2, 4, or 8, got 3");
  for (const ImageWindow& window : {ImageWindow{-1, 0, 2, 2}, ImageWindow{0, 0, 0, 2},
                                    ImageWindow{4, 4, 5, 2}, ImageWindow{0, 8, 1, 1}})
    ExpectRefused(DecodeJpeg(bytes, {.crop = window}), "does not lie in the image of 8 x 8");
  ExpectRefused(EncodeJpeg(Pattern({8, 8, 2})), "1 or 3 channels");
  ExpectRefused(EncodeJpeg(Pattern({0, 8, 3})), "got uint8 [0,8,3]");
  ExpectRefused(EncodeJpeg(Pattern({8, 8, 3}), {.quality = 101}), "quality must be in [0,100]");
  ExpectRefused(EncodeJpeg(Pattern({8, 8, 3}), {.x_density = 65536}), "density");
  ExpectRefused(EncodeJpeg(Pattern({8, 8, 3}), {.xmp_metadata = std::string(70000, 'x')}),
                "XMP metadata may have 65504 bytes, got 70000");
}

// A GIF of one black pixel; `width` and `height` are what the frame states.
std::string OnePixelGif(int width, int height) {
  std::string bytes("GIF89a\1\0\1\0\x80\0\0\0\0\0\0\0\0,\0\0\0\0", 24);
  for (const int side : {width, height}) {
    bytes += static_cast<char>(side & 255);
    bytes += static_cast<char>(side >> 8);
  }
  return bytes + std::string("\0\2\2\x44\1\0;", 7);
}

TEST(Gif, RefusesSizesThatAreNotInTheFile) {
  EXPECT_EQ(DecodeGif(OnePixelGif(1, 1))->ToString(), "uint8 [1,1,1,3] {0, 0, 0}");
  ExpectRefused(DecodeGif(OnePixelGif(65535, 65535)), "65535 x 65535 pixels cannot be in");
  ExpectRefused(DecodeGif(OnePixelGif(2, 2)), "failed to slurp gif file");
  ExpectRefused(DecodeGif(""), "failed to open gif file");
  ExpectRefused(DecodeGif("GIF89a"), "failed to open gif file");
  ExpectRefused(DecodeGif(std::string("GIF89a\1\0\1\0\0\0\0;", 14)), "does not contain any image");
}

std::string Bmp(int32_t width, int32_t height, int bits, size_t pixel_bytes) {
  std::string bytes(54 + pixel_bytes, '\7');
  const auto put = [&](size_t at, int64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes[at + i] = static_cast<char>(value >> 8 * i & 255);
  };
  put(10, 54, 4);
  put(18, width, 4);
  put(22, height, 4);
  put(28, bits, 2);
  return bytes;
}

TEST(Bmp, RefusesSizesThatAreNotInTheFile) {
  EXPECT_EQ(DecodeBmp(Bmp(1, 1, 24, 3))->ToString(), "uint8 [1,1,3] {7, 7, 7}");
  ExpectRefused(DecodeBmp(Bmp(INT32_MAX, INT32_MAX, 32, 64)), "Incomplete bmp content");
  ExpectRefused(DecodeBmp(Bmp(INT32_MAX, INT32_MIN, 24, 64)), "Incomplete bmp content");
  ExpectRefused(DecodeBmp(Bmp(2, 2, 24, 13)), "Incomplete bmp content");
  ExpectRefused(DecodeBmp(Bmp(0, 1, 24, 3)), "Width must be positive, but got 0");
  ExpectRefused(DecodeBmp(Bmp(1, 0, 24, 3)), "Height must be nonzero");
  ExpectRefused(DecodeBmp(Bmp(1, 1, 16, 3)), "Number of channels must be 1, 3 or 4, was 2");
  ExpectRefused(DecodeBmp(Bmp(1, 1, 24, 3), 1), "channels attribute 1 does not match");
  ExpectRefused(DecodeBmp("BM"), "requires at least 32 bytes");
}

TEST(Png, KeepsSixteenBits) {
  const Tensor wide = Tensor::Of<uint16_t>({0, 1, 256, 65535}, Shape{2, 2, 1});
  const std::string bytes = *EncodePng(wide);
  EXPECT_EQ(DecodePng(bytes, 0, DType::kUInt16)->ToString(), "uint16 [2,2,1] {0, 1, 256, 65535}");
  EXPECT_EQ(DecodePng(bytes)->ToString(), "uint8 [2,2,1] {0, 0, 1, 255}");
  const std::string narrow = *EncodePng(Tensor::Of<uint8_t>({0, 1, 255}, Shape{1, 3, 1}));
  EXPECT_EQ(DecodePng(narrow, 0, DType::kUInt16)->ToString(), "uint16 [1,3,1] {0, 257, 65535}");
  ExpectRefused(DecodePng(bytes, 0, DType::kInt32), "uint8 or uint16, not int32");
}

}  // namespace
}  // namespace headrace
