#include "headrace/io/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

Tensor Pattern(const Shape& shape) {
  Tensor t(DType::kUInt8, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i)
    t.data<uint8_t>()[i] = static_cast<uint8_t>(i * 37 + i / 7);
  return t;
}

bool Same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()) == 0;
}

TEST(Png, RoundTripsEveryNumberOfChannels) {
  for (const int64_t channels : {1, 2, 3, 4}) {
    for (const int level : {-1, 0, 9}) {
      const Tensor image = Pattern(Shape{13, 29, channels});
      auto bytes = EncodePng(image, level);
      ASSERT_TRUE(bytes.ok()) << bytes.status();
      auto again = DecodePng(*bytes);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_TRUE(Same(*again, image)) << channels;
    }
  }
}

TEST(Png, ChangesTheNumberOfChannels) {
  const std::string gray = *EncodePng(Tensor::Of<uint8_t>({0, 100, 200, 255}, Shape{2, 2, 1}));
  EXPECT_EQ(DecodePng(gray, 3)->ToString(4), "uint8 [2,2,3] {0, 0, 0, 100, ...}");
  EXPECT_EQ(DecodePng(gray, 4)->ToString(8),
            "uint8 [2,2,4] {0, 0, 0, 255, 100, 100, 100, 255, ...}");
  const std::string rgba = *EncodePng(Tensor::Of<uint8_t>({10, 20, 30, 40}, Shape{1, 1, 4}));
  EXPECT_EQ(DecodePng(rgba, 3)->ToString(), "uint8 [1,1,3] {10, 20, 30}");
  EXPECT_EQ(DecodePng(rgba, 1)->dim(2), 1);
}

std::string FromBase64(const char* text) {
  std::string bytes;
  EXPECT_TRUE(absl::Base64Unescape(text, &bytes));
  return bytes;
}

// Files made with Pillow: kinds that EncodePng does not write.
TEST(Png, ReadsPalette) {
  // 2x2 with palette (255,0,0), (0,255,0), (0,0,255), (9,8,7).
  const std::string bytes = FromBase64(
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACAgMAAAAP2OW3AAAADFBMVEX/AAAA/"
      "wAAAP8JCAei0mLAAAAADElEQVR4nGMQYNgAAADkAMEnqOhXAAAAAElFTkSuQmCC");
  EXPECT_EQ(DecodePng(bytes)->ToString(12),
            "uint8 [2,2,3] {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 8, 7}");
}

TEST(Png, ReadsOneBitAndSixteenBits) {
  EXPECT_EQ(DecodePng(FromBase64("iVBORw0KGgoAAAANSUhEUgAAAAMAAAACAQAAAAC1D1u3AAAADElEQVR4nGNYwOAAA"
                                 "AIkAOFz6zvyAAAAAElFTkSuQmCC"))
                ->ToString(),
            "uint8 [2,3,1] {255, 0, 255, 0, 255, 0}");
  EXPECT_EQ(DecodePng(FromBase64("iVBORw0KGgoAAAANSUhEUgAAAAMAAAABEAAAAABuG5crAAAAD0lEQVR4nGNgYGgQ+"
                                 "v8fAAU6ApE4QYitAAAAAElFTkSuQmCC"))
                ->ToString(),
            "uint8 [1,3,1] {0, 128, 255}");
}

TEST(Png, RefusesWhatCannotBeAnImage) {
  for (const Tensor& t :
       {Tensor(DType::kFloat32, Shape{2, 2, 1}), Tensor(DType::kUInt8, Shape{2, 2}),
        Tensor(DType::kUInt8, Shape{2, 2, 5}), Tensor(DType::kUInt8, Shape{0, 2, 1})}) {
    EXPECT_EQ(EncodePng(t).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_FALSE(EncodePng(Pattern(Shape{1, 1, 1}), 10).ok());
  EXPECT_THAT(std::string(DecodePng("GIF89a and more").status().message()),
              HasSubstr("not a PNG image"));
  EXPECT_FALSE(DecodePng("").ok());
  EXPECT_FALSE(DecodePng(*EncodePng(Pattern(Shape{1, 1, 1})), 5).ok());
}

TEST(Png, DamageIsAnErrorOrHarmless) {
  const Tensor image = Pattern(Shape{5, 7, 3});
  const std::string bytes = *EncodePng(image);
  int errors = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ change);
      auto decoded = DecodePng(bad);
      errors += !decoded.ok();
      if (decoded.ok()) {
        EXPECT_TRUE(Same(*decoded, image)) << i;
      }
    }
    EXPECT_FALSE(DecodePng(bytes.substr(0, i)).ok()) << i;
  }
  EXPECT_GT(errors, static_cast<int>(bytes.size()));
}

TEST(Png, HugeSizeInASmallFileTakesNoMemory) {
  std::string bytes = *EncodePng(Pattern(Shape{1, 1, 1}));
  bytes[16] = 0x00, bytes[17] = 0x0f, bytes[18] = 0x42, bytes[19] = 0x40;  // width 1,000,000
  bytes[20] = 0x00, bytes[21] = 0x0f, bytes[22] = 0x42, bytes[23] = 0x40;
  EXPECT_FALSE(DecodePng(bytes).ok());
}

}  // namespace
}  // namespace headrace
