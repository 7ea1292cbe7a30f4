// Ops about shapes, and those that change only the shape.
#include <gtest/gtest.h>

#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

const testing::Reference kSame = [](const std::vector<Tensor>& in) {
  return std::vector<Tensor>{in[0]};
};

testing::Reference Reshaped(Shape shape) {
  return
      [shape](const std::vector<Tensor>& in) { return std::vector<Tensor>{in[0].Reshaped(shape)}; };
}

TEST(Shape, GivesDimensions) {
  const Tensor x(DType::kFloat32, {2, 0, 3});
  CheckOp({.op = "Shape", .inputs = {x}, .expected = {Tensor::Of<int32_t>({2, 0, 3})}});
  CheckOp({.op = "Shape",
           .attrs = {{"out_type", DType::kInt64}},
           .inputs = {x},
           .expected = {Tensor::Of<int64_t>({2, 0, 3})}});
  CheckOp({.op = "ShapeN",
           .inputs = {x, Tensor(DType::kFloat32, {})},
           .expected = {Tensor::Of<int32_t>({2, 0, 3}), Tensor(DType::kInt32, {0})}});
  CheckOp({.op = "Size",
           .inputs = {RandomTensor(DType::kInt32, {2, 3})},
           .expected = {Tensor::Scalar<int32_t>(6)}});
  CheckOp({.op = "Rank",
           .inputs = {RandomTensor(DType::kBool, {2, 3})},
           .expected = {Tensor::Scalar<int32_t>(2)}});
}

TEST(Shape, IsAConstantWhereKnown) {
  Graph g;
  const Output known = Placeholder(g, DType::kFloat32, {2, 3}),
               partly = Placeholder(g, DType::kFloat32, {-1, 3});
  EXPECT_EQ(ShapeOf(known).node->op_name(), "Const");
  EXPECT_EQ(ShapeOf(known).name(), "Shape_1:0");
  EXPECT_EQ(ShapeOf(partly).node->op_name(), "Shape");
  EXPECT_EQ(Size(partly).node->op_name(), "Size");
  EXPECT_EQ(Rank(partly).node->op_name(), "Const");
  EXPECT_EQ(Rank(partly, {.optimize = false}).node->op_name(), "Rank");
}

TEST(BroadcastGradientArgs, GivesTheAxesThatWereRepeated) {
  struct Case {
    std::vector<int32_t> s0, s1, r0, r1;
  };
  const std::vector<Case> cases = {
      {{2, 1}, {1, 1}, {1}, {0, 1}}, {{1}, {1, 1}, {0, 1}, {0, 1}},
      {{2, 3}, {2, 3}, {}, {}},      {{}, {1}, {0}, {0}},
      {{3}, {2, 3}, {0}, {}},        {{1, 3, 1}, {2, 1, 1}, {0, 2}, {1, 2}},
      {{0}, {1}, {}, {0}},           {{}, {}, {}, {}}};
  const auto vec = [](const std::vector<int32_t>& v) {
    return Tensor::Of<int32_t>(std::span<const int32_t>(v), {static_cast<int64_t>(v.size())});
  };
  for (const Case& c : cases) {
    CheckOp({.op = "BroadcastGradientArgs",
             .inputs = {vec(c.s0), vec(c.s1)},
             .constant_inputs = {0, 1},
             .expected = {vec(c.r0), vec(c.r1)}});
  }
  CheckOpError({.op = "BroadcastGradientArgs",
                .inputs = {vec({0, 2}), vec({2, 0})},
                .constant_inputs = {0, 1},
                .text = "Incompatible shapes: [0,2] vs. [2,0]"});
  CheckOp({.op = "BroadcastArgs", .inputs = {vec({2, 1}), vec({5})}, .expected = {vec({2, 5})}});
}

TEST(Reshape, KeepsElements) {
  CheckOp({.op = "Reshape",
           .inputs = {RandomTensor(DType::kFloat32, {2, 6}), Tensor::Of<int32_t>({3, 4})},
           .constant_inputs = {1},
           .reference = Reshaped({3, 4}),
           .dtypes = kFloatTypes | kIntTypes});
  CheckOp({.op = "Reshape",
           .inputs = {RandomTensor(DType::kFloat32, {2, 6}), Tensor::Of<int64_t>({3, -1})},
           .constant_inputs = {1},
           .reference = Reshaped({3, 4})});
  CheckOp({.op = "Reshape",
           .inputs = {RandomTensor(DType::kFloat32, {1, 1}), Tensor(DType::kInt32, {0})},
           .constant_inputs = {1},
           .reference = Reshaped({})});
  CheckOp({.op = "Reshape",
           .inputs = {Tensor(DType::kFloat32, {0, 3}), Tensor::Of<int32_t>({-1, 2})},
           .constant_inputs = {1},
           .reference = Reshaped({0, 2})});
}

// The gradients of empty gathers and the like depend on it.
TEST(Reshape, LeavesZerosOutWhenItInfersASizeOfAnEmptyTensor) {
  const auto check = [](const Shape& from, std::initializer_list<int32_t> stated, const Shape& to) {
    for (const std::vector<int>& constants : {std::vector<int>{1}, {}}) {
      CheckOp({.op = "Reshape",
               .inputs = {Tensor(DType::kFloat32, from), Tensor::Of<int32_t>(stated)},
               .constant_inputs = constants,
               .reference = Reshaped(to),
               .static_shape = !constants.empty()});
    }
  };
  check({0, 3}, {0, -1}, {0, 3});
  check({0, 3}, {3, -1}, {3, 0});
  check({2, 0, 3}, {0, 4, -1}, {0, 4, 1});
  check({2, 0, 3}, {-1, 0, 2}, {3, 0, 2});
  check({0}, {0, -1}, {0, 1});
}

TEST(Reshape, RefusesAnotherNumberOfElements) {
  const Tensor x(DType::kFloat32, {2, 3});
  CheckOpError({.op = "Reshape",
                .inputs = {x, Tensor::Of<int32_t>({4})},
                .constant_inputs = {1},
                .text = "Cannot reshape a tensor with 6 elements to shape [4] (4 elements)",
                .in_step = false});
  CheckOpError({.op = "Reshape",
                .inputs = {x, Tensor::Of<int32_t>({4})},
                .text = "Input to reshape is a tensor with 6 values, but the requested shape has 4",
                .at_build = false});
  CheckOpError({.op = "Reshape",
                .inputs = {x, Tensor::Of<int32_t>({-1, -1})},
                .text = "Only one input size may be -1, not both 0 and 1",
                .at_build = false});
  CheckOpError({.op = "Reshape",
                .inputs = {x, Tensor::Of<int32_t>({-1, 4})},
                .text = "requires a multiple of 4",
                .at_build = false});
  CheckOpError({.op = "Reshape",
                .inputs = {x, Tensor::Of<int32_t>({0, -1})},
                .text = "Input to reshape is a tensor with 6 values, but the requested shape has 0",
                .at_build = false});
  CheckOpError({.op = "Reshape",
                .inputs = {x, Tensor::Of<int32_t>({-2, 3})},
                .text = "Size 0 must be non-negative, not -2",
                .at_build = false});
  CheckOpError({.op = "Reshape",
                .inputs = {x, Tensor::Of<int32_t>({-1, 4})},
                .constant_inputs = {1},
                .text = "4",
                .in_step = false});
}

TEST(Reshape, InfersABatchDimension) {
  Graph g;
  const Output images = Placeholder(g, DType::kFloat32, {-1, 7, 7, 64});
  EXPECT_EQ(Reshape(images, {-1, 3136}).shape(), (PartialShape{-1, 3136}));
  EXPECT_EQ(Reshape(Placeholder(g, DType::kFloat32, {4, 6}), {-1}).shape(), (PartialShape{24}));
  EXPECT_NE(g.FindNode("Reshape/shape"), nullptr);
}

TEST(ExpandDims, PutsADimensionIn) {
  for (const auto& [axis, shape] : std::vector<std::pair<int32_t, Shape>>{
           {0, {1, 2, 3}}, {1, {2, 1, 3}}, {2, {2, 3, 1}}, {-1, {2, 3, 1}}, {-3, {1, 2, 3}}}) {
    CheckOp({.op = "ExpandDims",
             .inputs = {RandomTensor(DType::kFloat32, {2, 3}), Tensor::Scalar(axis)},
             .constant_inputs = {1},
             .reference = Reshaped(shape)});
  }
  const Tensor x(DType::kFloat32, {2, 3});
  CheckOpError({.op = "ExpandDims",
                .inputs = {x, Tensor::Scalar<int32_t>(4)},
                .constant_inputs = {1},
                .text = "4"});
}

TEST(Squeeze, DropsDimensionsOfOne) {
  const Tensor x = RandomTensor(DType::kFloat32, {1, 2, 1, 3});
  CheckOp({.op = "Squeeze", .inputs = {x}, .reference = Reshaped({2, 3})});
  CheckOp({.op = "Squeeze",
           .attrs = {{"squeeze_dims", AttrValue::Ints{-2}}},
           .inputs = {x},
           .reference = Reshaped({1, 2, 3})});
  CheckOpError({.op = "Squeeze",
                .attrs = {{"squeeze_dims", AttrValue::Ints{1}}},
                .inputs = {x},
                .text = "Can not squeeze dim[1], expected a dimension of 1, got 2"});
  CheckOpError({.op = "Squeeze",
                .attrs = {{"squeeze_dims", AttrValue::Ints{5}}},
                .inputs = {x},
                .text = "squeeze_dims"});
}

TEST(Identity, HandsItsInputOn) {
  const Tensor x = RandomTensor(DType::kFloat32, {2, 3});
  CheckOp({.op = "Identity",
           .inputs = {x},
           .reference = kSame,
           .dtypes = kNumberTypes,
           .shapes = {{{0}}, {Shape()}}});
  CheckOp({.op = "Identity",
           .inputs = {Tensor::Of<std::string>({"a"})},
           .expected = {Tensor::Of<std::string>({"a"})}});
  CheckOp({.op = "Snapshot", .inputs = {x}, .reference = kSame});
  CheckOp({.op = "StopGradient", .inputs = {x}, .reference = kSame});
  CheckOp({.op = "EnsureShape",
           .attrs = {{"shape", PartialShape{-1, 3}}},
           .inputs = {x},
           .reference = kSame});
  CheckOpError({.op = "EnsureShape",
                .attrs = {{"shape", PartialShape{2, 4}}},
                .inputs = {x},
                .text = "[2,4]"});
  CheckOp({.op = "IdentityN",
           .inputs = {x, RandomTensor(DType::kFloat32, {4}, -1, 1, 2)},
           .reference = [](const std::vector<Tensor>& in) { return in; }});
}

TEST(Range, CountsFromStartToLimit) {
  const auto ints = [](int32_t a, int32_t b, int32_t c, std::initializer_list<int32_t> expected) {
    CheckOp({.op = "Range",
             .inputs = {Tensor::Scalar(a), Tensor::Scalar(b), Tensor::Scalar(c)},
             .constant_inputs = {0, 1, 2},
             .expected = {Tensor::Of<int32_t>(expected)}});
  };
  ints(0, 5, 2, {0, 2, 4});
  ints(5, 0, -2, {5, 3, 1});
  ints(3, 3, 1, {});
  ints(2147483640, 2147483647, 5, {2147483640, 2147483645});
  CheckOp({.op = "Range",
           .inputs = {Tensor::Scalar(0.0f), Tensor::Scalar(1.0f), Tensor::Scalar(0.25f)},
           .constant_inputs = {0, 1, 2},
           .expected = {Tensor::Of<float>({0, 0.25f, 0.5f, 0.75f})}});
  CheckOp({.op = "LinSpace",
           .inputs = {Tensor::Scalar(1.0), Tensor::Scalar(2.0), Tensor::Scalar<int32_t>(5)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<double>({1, 1.25, 1.5, 1.75, 2})}});
}

TEST(Reshape, OfNothingToASizeThatIsNotKnownYetStaysOpen) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, {0, 6}),
               size = Placeholder(g, DType::kInt32, PartialShape::OfRank(0)),
               zero = Const(g, int32_t{0});
  const Output sizes[] = {zero, size};
  EXPECT_EQ(Reshape(x, Stack(sizes)).shape().ToString(), "[0,?]");
  EXPECT_EQ(Reshape(x, Const(g, {0, -1})).shape().ToString(), "[0,6]");
  EXPECT_TRUE(g.status().ok()) << g.status();
}

TEST(Range, RefusesStepsThatLeadNowhere) {
  const auto refused = [](int32_t a, int32_t b, int32_t c, const char* text) {
    CheckOpError({.op = "Range",
                  .inputs = {Tensor::Scalar(a), Tensor::Scalar(b), Tensor::Scalar(c)},
                  .constant_inputs = {0, 1, 2},
                  .text = text});
  };
  refused(0, 3, 0, "Requires delta != 0");
  refused(0, 3, -1, "Requires start >= limit when delta < 0: 0/3");
  refused(4, 3, 1, "Requires start <= limit when delta > 0: 4/3");
  CheckOpError({.op = "LinSpace",
                .inputs = {Tensor::Scalar(1.0), Tensor::Scalar(2.0), Tensor::Scalar<int32_t>(0)},
                .constant_inputs = {2},
                .text = "Requires num > 0: 0"});
}

}  // namespace
}  // namespace headrace
