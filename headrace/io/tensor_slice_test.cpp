#include "headrace/io/tensor_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "headrace/base/strings.h"
#include "headrace/io/internal/ordered_code.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

std::string Hex(const std::string& bytes) {
  std::string text;
  for (unsigned char c : bytes) {
    text += "0123456789abcdef"[c >> 4];
    text += "0123456789abcdef"[c & 15];
  }
  return text;
}

TEST(TensorSlice, ParsesAndPrints) {
  for (const char* text : {"", "-", "0,3:-", "3,2:0,2:-:7,0"})
    EXPECT_EQ(TensorSlice::Parse(text)->ToString(), text);
  for (const char* bad : {"x", "1", "1,", "1,2,3", "1,-2", "-1,2", "1,2:", "-:-:-:-:-:-:-:-:-"}) {
    EXPECT_FALSE(TensorSlice::Parse(bad).ok()) << bad;
  }
}

TEST(TensorSlice, KnowsItsShape) {
  EXPECT_EQ(*TensorSlice::Parse("3,2:-")->ShapeIn(Shape{7, 4}), (Shape{2, 4}));
  EXPECT_FALSE(TensorSlice::Parse("3,5:-")->ShapeIn(Shape{7, 4}).ok());
  EXPECT_FALSE(TensorSlice::Parse("3,2")->ShapeIn(Shape{7, 4}).ok());
  EXPECT_FALSE(
      TensorSlice::Parse("9223372036854775807,9223372036854775807")->ShapeIn(Shape{7}).ok());
  EXPECT_TRUE(TensorSlice::Parse("0,7:-")->IsAllOf(Shape{7, 4}));
  EXPECT_FALSE(TensorSlice::Parse("0,6:-")->IsAllOf(Shape{7, 4}));
}

TEST(TensorSlice, ShapeAndSlice) {
  auto parsed = ParseShapeAndSlice("7 2 3,2:-");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->full_shape, (Shape{7, 2}));
  EXPECT_EQ(parsed->slice.ToString(), "3,2:-");
  EXPECT_FALSE(ParseShapeAndSlice("7 x 3,2:-").ok());
  EXPECT_FALSE(ParseShapeAndSlice("7 3,2:-").ok());
  EXPECT_FALSE(ParseShapeAndSlice("4 2 3,2:-").ok());
}

TEST(TensorSlice, CopiesOverlaps) {
  Tensor whole(DType::kInt32, Shape{4, 5, 3});
  std::iota(whole.data<int32_t>(), whole.data<int32_t>() + 60, 0);
  const TensorSlice all = TensorSlice::Full(3).Explicit(whole.shape());
  const TensorSlice a = *TensorSlice::Parse("1,2:2,3:0,2"), b = *TensorSlice::Parse("2,2:0,4:1,2");
  Tensor part_a(DType::kInt32, *a.ShapeIn(whole.shape())),
      part_b(DType::kInt32, *b.ShapeIn(whole.shape()));
  EXPECT_EQ(CopyOverlap(all, whole, a, &part_a), 12);
  EXPECT_EQ(part_a.ToString(4), "int32 [2,3,2] {21, 22, 24, 25, ...}");
  std::fill_n(part_b.data<int32_t>(), part_b.num_elements(), -1);
  // In common: 2,1 : 2,2 : 1,1.
  EXPECT_EQ(CopyOverlap(a, part_a, b, &part_b), 2);
  EXPECT_EQ(OverlapElements(a, b), 2);
  int copied = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 2; ++k) {
        const int value = part_b.data<int32_t>()[(i * 4 + j) * 2 + k];
        if (value < 0) continue;
        EXPECT_EQ(value, ((i + 2) * 5 + j) * 3 + k + 1);
        ++copied;
      }
    }
  }
  EXPECT_EQ(copied, 2);
}

// Keys that TensorFlow 1.15 made (see tests/golden/checkpoint and docs of the format).
TEST(SliceKey, EqualsTensorFlows) {
  EXPECT_EQ(Hex(SliceKey("p/part", *TensorSlice::Parse("0,3:0,2"))),
            "00702f706172740001010280838082");
  EXPECT_EQ(Hex(SliceKey("a", TensorSlice::Full(2))), "006100010102807f807f");
  const std::pair<int64_t, const char*> starts[] = {
      {0, "80"},
      {1, "81"},
      {63, "bf"},
      {64, "c040"},
      {127, "c07f"},
      {128, "c080"},
      {8191, "dfff"},
      {8192, "e02000"},
      {1048575, "efffff"},
      {1048576, "f0100000"},
      {(int64_t{1} << 27) - 1, "f7ffffff"},
      {int64_t{1} << 27, "f808000000"},
      {(int64_t{1} << 34) - 1, "fbffffffff"},
      {int64_t{1} << 34, "fc0400000000"},
      {int64_t{1} << 41, "fe020000000000"},
      {(int64_t{1} << 48) - 1, "feffffffffffff"},
      {int64_t{1} << 48, "ff01000000000000"},
      {(int64_t{1} << 55) - 1, "ff7fffffffffffff"},
      {int64_t{1} << 55, "ff8080000000000000"},
      {int64_t{1} << 61, "ffa000000000000000"},
      {(int64_t{1} << 62) - 1, "ffbfffffffffffffff"},
      {int64_t{1} << 62, "ffc04000000000000000"},
      {std::numeric_limits<int64_t>::max() - 9, "ffc07ffffffffffffff6"},
  };
  for (const auto& [start, hex] : starts) {
    TensorSlice slice;
    ASSERT_TRUE(slice.Append({start, 2}).ok());
    EXPECT_EQ(Hex(SliceKey("v", slice)), StrCat("00760001", "0101", hex, "82")) << start;
  }
  TensorSlice slice;
  ASSERT_TRUE(slice.Append({1, 2}).ok());
  EXPECT_EQ(Hex(SliceKey(std::string_view("z\0\xffq", 4), slice)), "007a00ffff0071000101018182");
}

}  // namespace
}  // namespace headrace
