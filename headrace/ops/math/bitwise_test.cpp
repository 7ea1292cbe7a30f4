#include "headrace/ops/math/bitwise.h"

#include <gtest/gtest.h>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;

Tensor Bytes(std::initializer_list<int8_t> values) {
  return Tensor::Of<int8_t>(values);
}

constexpr DTypeSet kSigned{DType::kInt16, DType::kInt32, DType::kInt64};
constexpr DTypeSet kUnsigned{DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64};

TEST(Bitwise, JoinsBits) {
  const Tensor x = Bytes({0, 12, 7, 85}), y = Bytes({5, 10, 7, 42});
  const auto check = [&](const char* op, Tensor z) {
    CheckOp({.op = op, .inputs = {x, y}, .expected = {z}, .dtypes = kSigned | kUnsigned});
  };
  check("BitwiseAnd", Bytes({0, 8, 7, 0}));
  check("BitwiseOr", Bytes({5, 14, 7, 127}));
  check("BitwiseXor", Bytes({5, 6, 0, 127}));
}

TEST(Bitwise, TakesNegativeNumbersAndBroadcasts) {
  CheckOp({.op = "BitwiseAnd",
           .inputs = {Tensor::Of<int32_t>({-1, -8}, {2, 1}), Tensor::Of<int32_t>({5, -3})},
           .expected = {Tensor::Of<int32_t>({5, -3, 0, -8}, {2, 2})},
           .dtypes = kSigned});
  CheckOp({.op = "Invert",
           .inputs = {Bytes({0, -1, 127, -128})},
           .expected = {Bytes({-1, 0, -128, 127})}});
  CheckOp({.op = "Invert",
           .inputs = {Tensor::Of<uint16_t>({0, 65535})},
           .expected = {Tensor::Of<uint16_t>({65535, 0})}});
  CheckOp({.op = "BitwiseOr",
           .inputs = {Tensor(DType::kInt32, {0, 2}), Tensor::Scalar<int32_t>(1)},
           .expected = {Tensor(DType::kInt32, {0, 2})}});
}

TEST(Bitwise, ShiftsNoFurtherThanTheTypeIsWide) {
  CheckOp({.op = "LeftShift",
           .inputs = {Bytes({1, -1, 64, 1, 3}), Bytes({3, -1, 9, 7, 1})},
           .expected = {Bytes({8, -1, 0, -128, 6})}});
  CheckOp({.op = "RightShift",
           .inputs = {Bytes({-128, -1, 64, 1, 7}), Bytes({3, -1, 9, 7, 1})},
           .expected = {Bytes({-16, -1, 0, 0, 3})}});
  CheckOp({.op = "RightShift",
           .inputs = {Tensor::Of<uint64_t>({uint64_t{1} << 63}), Tensor::Of<uint64_t>({100})},
           .expected = {Tensor::Of<uint64_t>({1})}});
}

TEST(PopulationCount, CountsTheBitsOfTheType) {
  CheckOp({.op = "PopulationCount",
           .inputs = {Bytes({0, -1, 5, -128})},
           .expected = {Tensor::Of<uint8_t>({0, 8, 2, 1})}});
  CheckOp({.op = "PopulationCount",
           .inputs = {Tensor::Of<int64_t>({-1, 255})},
           .expected = {Tensor::Of<uint8_t>({64, 8})}});
  CheckOp({.op = "PopulationCount",
           .inputs = {Tensor::Of<int32_t>({3, 8}, {2, 1})},
           .expected = {Tensor::Of<uint8_t>({2, 1}, {2, 1})},
           .dtypes = kSigned | kUnsigned});
}

TEST(CompareAndBitpack, PutsTheFirstIntoTheHighestBit) {
  CheckOp(
      {.op = "CompareAndBitpack",
       .inputs = {Tensor::Of<float>({1, 0, 0, 0, 0, 0, 0, 2, 5, 5, 5, 5, -1, 0.5, 0, 1}, {2, 8}),
                  Tensor::Scalar(0.5f)},
       .expected = {Tensor::Of<uint8_t>({0x81, 0xf1}, {2, 1})},
       .dtypes = DTypeSet(DType::kFloat64),
       .gradient_of = {{}}});
  CheckOpError({.op = "CompareAndBitpack",
                .inputs = {Tensor::Of<int8_t>({1, 2, 3}), Tensor::Scalar<int8_t>(0)},
                .text = "should be divisible by 8"});
}

TEST(Bitwise, RefusesShapesThatDoNotBroadcast) {
  CheckOpError({.op = "BitwiseXor",
                .inputs = {Tensor::Of<int32_t>({1, 2}), Tensor::Of<int32_t>({1, 2, 3})},
                .text = "Incompatible shapes: [2] vs. [3]"});
}

TEST(Bitwise, BuildersTakeNumbers) {
  Graph g;
  const Output x = testing::FedTensor(g, DType::kInt32, {2});
  testing::GraphRunner runner;
  const auto y = runner.Run({BitwiseAnd(x, 6), LeftShift(x, 1), Invert(x)},
                            {{x, Tensor::Of<int32_t>({7, 9})}});
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(testing::BitDifference((*y)[0], Tensor::Of<int32_t>({6, 0})), "");
  EXPECT_EQ(testing::BitDifference((*y)[1], Tensor::Of<int32_t>({14, 18})), "");
  EXPECT_EQ(testing::BitDifference((*y)[2], Tensor::Of<int32_t>({-8, -10})), "");
}

}  // namespace
}  // namespace headrace
