#include "headrace/ops/math/cast.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/math/cast_kernels.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::Converted;
using testing::RandomTensor;

constexpr DTypeSet kCastable = kNumberTypes | DTypeSet(DType::kBool);

TEST(Cast, ConvertsBetweenAllTypes) {
  for (int from = 1; from <= static_cast<int>(DType::kUInt64); ++from) {
    if (!kCastable.Contains(static_cast<DType>(from))) continue;
    const Tensor x = RandomTensor(static_cast<DType>(from), {2, 3}, 0, 100);
    for (int to = 1; to <= static_cast<int>(DType::kUInt64); ++to) {
      const DType type = static_cast<DType>(to);
      if (!kCastable.Contains(type)) continue;
      CheckOp({.op = "Cast",
               .attrs = {{"DstT", type}},
               .inputs = {x},
               .expected = {Converted(x, type)},
               .gradient_of = {{}}});
    }
  }
}

TEST(Cast, HasGradientsBetweenFloats) {
  CheckOp({.op = "Cast",
           .attrs = {{"DstT", DType::kFloat64}},
           .inputs = {RandomTensor(DType::kFloat64, {2, 3})}});
  CheckOp({.op = "Cast",
           .attrs = {{"DstT", DType::kFloat32}},
           .inputs = {RandomTensor(DType::kFloat64, {2, 3})},
           .gradient_tolerance = 1e-2,
           .gradient_step = 1e-3});
}

TEST(Cast, GivesTheLowestIntegerForWhatDoesNotFit) {
  const Tensor x = Tensor::Of<float>({3e9f, -3e9f, 1e20f, INFINITY, -INFINITY, NAN, -1.9f, 1.9f});
  const int32_t low = std::numeric_limits<int32_t>::min();
  CheckOp({.op = "Cast",
           .attrs = {{"DstT", DType::kInt32}},
           .inputs = {x},
           .expected = {Tensor::Of<int32_t>({low, low, low, low, low, low, -1, 1})},
           .gradient_of = {{}}});
  const int64_t low64 = std::numeric_limits<int64_t>::min();
  CheckOp({.op = "Cast",
           .attrs = {{"DstT", DType::kInt64}},
           .inputs = {x},
           .expected = {Tensor::Of<int64_t>(
               {3000000000, -3000000000, low64, low64, low64, low64, -1, 1})},
           .gradient_of = {{}}});
}

TEST(Cast, KeepsTheLowBitsOfWhatIsTooLargeForASmallInteger) {
  CheckOp({.op = "Cast",
           .attrs = {{"DstT", DType::kUInt8}},
           .inputs = {Tensor::Of<float>({300.7f, -1.5f, 255.9f, 65536, NAN})},
           .expected = {Tensor::Of<uint8_t>({44, 255, 255, 0, 0})},
           .gradient_of = {{}}});
}

// Vectors of every length give what single elements give, for all pairs of dtypes.
TEST(Cast, OfARowIsThatOfItsElements) {
  for (int from = 1; from <= static_cast<int>(DType::kUInt64); ++from) {
    const DType in = static_cast<DType>(from);
    if (!kCastable.Contains(in)) continue;
    Tensor x = RandomTensor(in, {71}, 0, 120);
    if (in == DType::kFloat32) {
      const float special[] = {NAN,   INFINITY, -INFINITY, 3e9f,   -3e9f,
                               -0.0f, -1.5f,    70000,     1e-40f, 6e-8f};
      std::copy(std::begin(special), std::end(special), x.data<float>() + 30);
    }
    for (int to = 1; to <= static_cast<int>(DType::kUInt64); ++to) {
      const DType out = static_cast<DType>(to);
      if (!kCastable.Contains(out)) continue;
      const CastRow row = FindCastRow(in, out, false);
      Tensor together(out, {71}), alone(out, {71});
      const size_t in_size = SizeOf(in), out_size = SizeOf(out);
      const char* source = static_cast<const char*>(x.raw_data());
      row(source, together.raw_data(), 71);
      for (size_t i = 0; i < 71; ++i)
        row(source + i * in_size, static_cast<char*>(alone.raw_data()) + i * out_size, 1);
      EXPECT_EQ(testing::BitDifference(together, alone), "")
          << DTypeName(in) << " to " << DTypeName(out);
    }
  }
}

TEST(Cast, ToBoolIsWhetherNotZero) {
  CheckOp({.op = "Cast",
           .attrs = {{"DstT", DType::kBool}},
           .inputs = {Tensor::Of<float>({0, -0.0f, 0.25f, NAN, -3})},
           .expected = {Tensor::Of<bool>({false, false, true, true, true})},
           .gradient_of = {{}}});
}

TEST(Cast, TruncatesWhereAsked) {
  const float x = 1.0f + 0x1p-7f - 0x1p-20f;  // just below the next bfloat16
  CheckOp({.op = "Cast",
           .attrs = {{"DstT", DType::kBFloat16}},
           .inputs = {Tensor::Scalar(x)},
           .expected = {Tensor::Scalar(BFloat16(1.0f + 0x1p-7f))},
           .gradient_of = {{}}});
  CheckOp({.op = "Cast",
           .attrs = {{"DstT", DType::kBFloat16}, {"Truncate", true}},
           .inputs = {Tensor::Scalar(x)},
           .expected = {Tensor::Scalar(BFloat16(1.0f))},
           .gradient_of = {{}}});
}

TEST(Cast, MakesNoNodeForTheSameType) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, {2});
  EXPECT_EQ(Cast(x, DType::kFloat32), x);
  EXPECT_EQ(Cast(x, DType::kInt32).node->op_name(), "Cast");
}

}  // namespace
}  // namespace headrace
