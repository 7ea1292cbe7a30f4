// Bitcast, Roll, LowerBound, UpperBound, UnravelIndex, ParallelConcat, EditDistance, Empty,
// ImmutableConst, UniqueWithCountsV2, copies.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "headrace/base/file.h"
#include "headrace/ops/array/bitcast.h"
#include "headrace/ops/array/empty.h"
#include "headrace/ops/array/roll.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

Tensor Ints(std::initializer_list<int32_t> v) {
  return Tensor::Of<int32_t>(v);
}

TEST(Bitcast, ChangesTheSizeOfElements) {
  CheckOp(
      {.op = "Bitcast",
       .attrs = {{"type", DType::kInt32}},
       .inputs = {Tensor::Of<float>({1, -0.0f}, {2, 1})},
       .expected = {Tensor::Of<int32_t>({0x3f800000, std::numeric_limits<int32_t>::min()}, {2, 1})},
       .gradient_of = {{}}});
  const Tensor bytes = Tensor::Of<uint8_t>({0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}, {2, 4});
  CheckOp({.op = "Bitcast",
           .attrs = {{"type", DType::kUInt8}},
           .inputs = {Tensor::Of<float>({1, 2})},
           .expected = {bytes},
           .gradient_of = {{}}});
  CheckOp({.op = "Bitcast",
           .attrs = {{"type", DType::kFloat32}},
           .inputs = {bytes},
           .expected = {Tensor::Of<float>({1, 2})}});
  CheckOp({.op = "Bitcast",
           .attrs = {{"type", DType::kInt64}},
           .inputs = {Tensor(DType::kInt32, {0, 2})},
           .expected = {Tensor(DType::kInt64, {0})}});
  for (const Shape& shape : {Shape{3}, Shape()}) {
    CheckOpError({.op = "Bitcast",
                  .attrs = {{"type", DType::kInt64}},
                  .inputs = {RandomTensor(DType::kInt32, shape)},
                  .text = "the last dimension must be 2"});
  }
}

TEST(Roll, MovesAroundTheEnds) {
  const Tensor x = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto check = [&](Tensor shift, Tensor axis, Tensor y) {
    CheckOp({.op = "Roll",
             .inputs = {x, std::move(shift), std::move(axis)},
             .expected = {y},
             .dtypes = DTypeSet{DType::kFloat16, DType::kInt32, DType::kUInt8, DType::kFloat64},
             .gradient_of = {{0}}});
  };
  check(Tensor::Scalar<int32_t>(1), Tensor::Scalar<int32_t>(1),
        Tensor::Of<float>({3, 1, 2, 6, 4, 5}, {2, 3}));
  check(Ints({-4}), Ints({-1}), Tensor::Of<float>({2, 3, 1, 5, 6, 4}, {2, 3}));
  check(Tensor::Of<int64_t>({1, 1, 1}), Ints({0, 1, 1}),
        Tensor::Of<float>({5, 6, 4, 2, 3, 1}, {2, 3}));
  check(Ints({}), Ints({}), x);
  CheckOp({.op = "Roll",
           .inputs = {Tensor::Of<std::string>({"a", "b", "c"}), Tensor::Scalar<int32_t>(-1),
                      Tensor::Scalar<int32_t>(0)},
           .expected = {Tensor::Of<std::string>({"b", "c", "a"})}});
  CheckOp({.op = "Roll",
           .inputs = {Tensor(DType::kFloat32, {0, 2}), Tensor::Scalar<int32_t>(5),
                      Tensor::Scalar<int32_t>(0)},
           .expected = {Tensor(DType::kFloat32, {0, 2})},
           .gradient_of = {{}}});
}

TEST(Roll, RefusesWrongAxes) {
  const Tensor x = Tensor::Of<float>({1, 2});
  CheckOpError({.op = "Roll",
                .inputs = {x, Ints({1}), Ints({1})},
                .text = "axis 1 is out of range",
                .at_build = false});
  CheckOpError({.op = "Roll",
                .inputs = {x, Ints({1, 2}), Ints({0})},
                .text = "shift and axis must have the same size",
                .at_build = false});
  CheckOpError({.op = "Roll",
                .inputs = {Tensor::Scalar(1.0f), Ints({1}), Ints({0})},
                .text = "input must be 1-D or higher"});
}

TEST(Search, FindsPlacesInSortedRows) {
  const Tensor rows = Tensor::Of<float>({1, 2, 2, 3, 0, 5, 7, 9}, {2, 4}),
               values = Tensor::Of<float>({2, 0, 10, 5, 6, NAN}, {2, 3});
  constexpr DTypeSet kTypes{DType::kFloat64, DType::kFloat16};
  CheckOp({.op = "LowerBound",
           .inputs = {rows, values},
           .expected = {Tensor::Of<int32_t>({1, 0, 4, 1, 2, 0}, {2, 3})},
           .dtypes = kTypes,
           .gradient_of = {{}}});
  CheckOp({.op = "UpperBound",
           .attrs = {{"out_type", DType::kInt64}},
           .inputs = {rows, values},
           .expected = {Tensor::Of<int64_t>({3, 0, 4, 2, 2, 4}, {2, 3})},
           .dtypes = kTypes,
           .gradient_of = {{}}});
  CheckOp({.op = "UpperBound",
           .inputs = {Tensor(DType::kInt32, {1, 0}), Tensor::Of<int32_t>({1, 2}, {1, 2})},
           .expected = {Tensor::Of<int32_t>({0, 0}, {1, 2})}});
  CheckOpError({.op = "LowerBound", .inputs = {rows, Tensor::Of<float>({1}, {1, 1})}});
}

TEST(UnravelIndex, GivesCoordinates) {
  CheckOp({.op = "UnravelIndex",
           .inputs = {Ints({0, 7, 11}), Ints({3, 4})},
           .expected = {Tensor::Of<int32_t>({0, 1, 2, 0, 3, 3}, {2, 3})}});
  CheckOp({.op = "UnravelIndex",
           .inputs = {Tensor::Scalar<int64_t>(int64_t{1} << 40),
                      Tensor::Of<int64_t>({int64_t{1} << 30, 2048})},
           .expected = {Tensor::Of<int64_t>({int64_t{1} << 29, 0})}});
  for (const int32_t bad : {-1, 12}) {
    CheckOpError({.op = "UnravelIndex",
                  .inputs = {Ints({bad}), Ints({3, 4})},
                  .text = "index is out of bound as with dims",
                  .at_build = false});
  }
  CheckOpError({.op = "UnravelIndex",
                .inputs = {Ints({0}), Ints({3, 0})},
                .text = "Input dims product is 0 or less",
                .at_build = false});
}

TEST(ParallelConcat, StacksRows) {
  CheckOp({.op = "ParallelConcat",
           .attrs = {{"shape", Shape{2, 2}}, {"N", 2}},
           .inputs = {Tensor::Of<float>({1, 2}, {1, 2}), Tensor::Of<float>({3, 4}, {1, 2})},
           .expected = {Tensor::Of<float>({1, 2, 3, 4}, {2, 2})},
           .gradient_of = {{}}});
  CheckOpError({.op = "ParallelConcat",
                .attrs = {{"shape", Shape{2, 2}}, {"N", 2}},
                .inputs = {Tensor::Of<float>({1, 2}, {1, 2}), Tensor::Of<float>({3}, {1, 1})},
                .text = "All input shapes must be [1,2], got [1,1]"});
}

TEST(EditDistance, CountsChanges) {
  const Tensor h = Tensor::Of<int64_t>({0, 0, 0, 1, 2, 0}, {3, 2}),
               t = Tensor::Of<int64_t>({1, 0, 2, 0, 2, 1}, {3, 2}),
               shape = Tensor::Of<int64_t>({3, 2}), wide = Tensor::Of<int64_t>({4, 3});
  const Tensor a = Tensor::Of<std::string>({"a", "b", "c"}),
               b = Tensor::Of<std::string>({"x", "y", "c"});
  CheckOp({.op = "EditDistance",
           .attrs = {{"normalize", false}},
           .inputs = {h, a, shape, t, b, wide},
           .constant_inputs = {2, 5},
           .expected = {Tensor::Of<float>({2, 1, 1, 0})}});
  CheckOp({.op = "EditDistance",
           .inputs = {h, a, shape, t, b, wide},
           .constant_inputs = {2, 5},
           .expected = {Tensor::Of<float>({INFINITY, 1, 0.5, 0})}});
  CheckOpError({.op = "EditDistance",
                .inputs = {h, a, Tensor::Of<int64_t>({1, 2}), t, b, Tensor::Of<int64_t>({2, 2})},
                .text = "is not in [0, 2)",
                .at_build = false});
}

TEST(UniqueWithCountsV2, CountsSlices) {
  CheckOp({.op = "UniqueWithCountsV2",
           .inputs = {Tensor::Of<int32_t>({1, 0, 2, 2, 1, 0}, {3, 2}), Tensor::Of<int64_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<int32_t>({1, 0, 2, 2}, {2, 2}), Ints({0, 1, 0}), Ints({2, 1})},
           .static_shape = false});
}

TEST(Empty, IsZero) {
  CheckOp({.op = "Empty",
           .attrs = {{"dtype", DType::kFloat32}},
           .inputs = {Ints({2, 1})},
           .constant_inputs = {0},
           .expected = {Tensor::Of<float>({0, 0}, {2, 1})}});
  CheckOp({.op = "Empty",
           .attrs = {{"dtype", DType::kString}, {"init", true}},
           .inputs = {Ints({1})},
           .constant_inputs = {0},
           .expected = {Tensor::Of<std::string>({""})}});
  CheckOpError({.op = "Empty",
                .attrs = {{"dtype", DType::kFloat32}},
                .inputs = {Ints({-1})},
                .constant_inputs = {0},
                .text = "-1"});
}

TEST(ImmutableConst, MapsAFile) {
  const std::string path = ::testing::TempDir() + "/immutable_const_test";
  const float values[] = {1, 2, 3};
  ASSERT_TRUE(WriteFileAtomically(
                  path, std::string_view(reinterpret_cast<const char*>(values), sizeof(values)))
                  .ok());
  Graph g;
  const Output x = ImmutableConst(g, DType::kFloat32, {3}, path);
  const Output longer = ImmutableConst(g, DType::kFloat32, {4}, path);
  const Output absent = ImmutableConst(g, DType::kFloat32, {1}, path + ".absent");
  EXPECT_EQ(testing::BitDifference(testing::Evaluate(x), Tensor::Of<float>({1, 2, 3})), "");
  testing::GraphRunner runner;
  const Status too_short = runner.Run({longer}).status();
  EXPECT_NE(std::string(Message(too_short)).find("has 12 bytes"), std::string::npos) << too_short;
  EXPECT_TRUE(absl::IsNotFound(runner.Run({absent}).status()));
  EXPECT_TRUE(RemoveFile(path).ok());
}

TEST(Copies, HandTheirInputOn) {
  const Tensor x = Tensor::Of<float>({1, 2});
  for (const char* op : {"DeepCopy", "GuaranteeConst"})
    CheckOp({.op = op, .inputs = {x}, .expected = {x}, .gradient_of = {{}}});
  CheckOp({.op = "DebugGradientIdentity", .inputs = {x}, .expected = {x}});
  CheckOp({.op = "AccumulateNV2",
           .attrs = {{"shape", Shape{2}}, {"N", 3}},
           .inputs = {x, x, x},
           .expected = {Tensor::Of<float>({3, 6})},
           .dtypes = DTypeSet{DType::kInt32, DType::kFloat64}});
  CheckOpError({.op = "AccumulateNV2",
                .attrs = {{"shape", Shape{3}}, {"N", 1}},
                .inputs = {x},
                .in_step = false});
}

}  // namespace
}  // namespace headrace
