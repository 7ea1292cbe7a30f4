// Concat, ConcatOffset, Pack, Unpack, Split, SplitV.
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/array/split.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Difference;
using testing::Evaluate;
using testing::RandomTensor;

Tensor Axis(int32_t axis) {
  return Tensor::Scalar(axis);
}

TEST(ConcatV2, JoinsAlongAnyAxis) {
  const Tensor a = Tensor::Of<float>({1, 2, 3, 4}, {2, 2}),
               b = Tensor::Of<float>({5, 6, 7, 8, 9, 10}, {2, 3});
  CheckOp({.op = "ConcatV2",
           .inputs = {a, b, Axis(1)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<float>({1, 2, 5, 6, 7, 3, 4, 8, 9, 10}, {2, 5})}});
  CheckOp({.op = "ConcatV2",
           .inputs = {a, Tensor::Of<float>({5, 6}, {1, 2}), Axis(-2)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {3, 2})}});
  CheckOp({.op = "ConcatV2",
           .inputs = {Tensor(DType::kFloat32, {0, 2}), a, Axis(0)},
           .constant_inputs = {2},
           .expected = {a}});
  CheckOp({.op = "Concat",
           .inputs = {Axis(1), a, b},
           .constant_inputs = {0},
           .expected = {Tensor::Of<float>({1, 2, 5, 6, 7, 3, 4, 8, 9, 10}, {2, 5})}});
  CheckOp({.op = "ConcatV2",
           .inputs = {Tensor::Of<std::string>({"a"}), Tensor::Of<std::string>({"b", "c"}), Axis(0)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<std::string>({"a", "b", "c"})}});
}

TEST(ConcatV2, JoinsLargeTensorsWithManyWorkers) {
  const Tensor a = RandomTensor(DType::kFloat32, {300, 200}, -1, 1, 1),
               b = RandomTensor(DType::kFloat32, {300, 100}, -1, 1, 2);
  Tensor expected(DType::kFloat32, {300, 300});
  for (int64_t i = 0; i < 300; ++i) {
    std::copy_n(a.data<float>() + i * 200, 200, expected.data<float>() + i * 300);
    std::copy_n(b.data<float>() + i * 100, 100, expected.data<float>() + i * 300 + 200);
  }
  CheckOp({.op = "ConcatV2",
           .inputs = {a, b, Axis(1)},
           .constant_inputs = {2},
           .expected = {expected},
           .gradient_of = {{}}});
}

TEST(ConcatV2, RefusesShapesThatDoNotFit) {
  const Tensor a(DType::kFloat32, {2, 3});
  CheckOpError(
      {.op = "ConcatV2",
       .inputs = {a, Tensor(DType::kFloat32, {2}), Axis(0)},
       .constant_inputs = {2},
       .text = "Ranks of all input tensors should match: shape[0] = [2,3] vs. shape[1] = [2]"});
  CheckOpError(
      {.op = "ConcatV2",
       .inputs = {a, Tensor(DType::kFloat32, {3, 4}), Axis(0)},
       .constant_inputs = {2},
       .text = "Dimensions of inputs should match: shape[0] = [2,3] vs. shape[1] = [3,4]"});
  CheckOpError({.op = "ConcatV2",
                .inputs = {a, a, Axis(2)},
                .constant_inputs = {2},
                .text = "Expected concatenating dimensions in the range [-2, 2), but got 2"});
}

TEST(Concat, OfOneTensorIsThatTensor) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, {2});
  EXPECT_EQ(Concat({x}, 0).node->op_name(), "Identity");
  EXPECT_EQ(Concat({x, x}, 0, {.name = "joined"}).name(), "joined:0");
  EXPECT_NE(g.FindNode("joined/axis"), nullptr);
}

TEST(Concat, ManyInputsAreDifferentiatedWithOneSplit) {
  std::vector<Tensor> inputs;
  for (int i = 0; i < 18; ++i)
    inputs.push_back(RandomTensor(DType::kFloat32, {2, 1 + i % 2}, -1, 1, 1 + i));
  CheckOp(
      {.build = [](Graph&,
                   const std::vector<Output>& in) { return std::vector<Output>{Concat(in, 1)}; },
       .inputs = inputs,
       .gradient_of = {{0, 1, 17}}});
}

// Rows that were gathered from a joined table: each part gets the slices that are its own.
TEST(Concat, PassesSlicesToItsInputs) {
  for (const int axis : {0, 1}) {
    SCOPED_TRACE(axis);
    Graph g;
    const Output a = Placeholder(g, DType::kFloat32, {3, 2}),
                 b = Placeholder(g, DType::kFloat32, {3, 2});
    const Output rows =
        Gather(Concat({a, b}, axis), Const(g, axis == 0 ? std::initializer_list<int>{1, 4, 1, 2}
                                                        : std::initializer_list<int>{1, 0, 1, 2}));
    const std::vector<Gradient> grads = Gradients(rows, {a, b});
    ASSERT_TRUE(g.status().ok()) << g.status();
    ASSERT_TRUE(grads[0].slices.has_value() && grads[1].slices.has_value());
    const testing::Feeds feeds = {{a, RandomTensor(DType::kFloat32, {3, 2})},
                                  {b, RandomTensor(DType::kFloat32, {3, 2})}};
    const Tensor first = axis == 0 ? Tensor::Of<float>({0, 0, 2, 2, 1, 1}, {3, 2})
                                   : Tensor::Of<float>({1, 1, 2, 2, 1, 1}, {3, 2});
    const Tensor second = axis == 0 ? Tensor::Of<float>({0, 0, 1, 1, 0, 0}, {3, 2}) : first;
    EXPECT_EQ(Difference(Evaluate(grads[0].Dense(), feeds), first, 0), "");
    EXPECT_EQ(Difference(Evaluate(grads[1].Dense(), feeds), second, 0), "");
  }
}

TEST(ConcatOffset, SaysWherePartsBegin) {
  const Tensor s0 = Tensor::Of<int32_t>({2, 3}), s1 = Tensor::Of<int32_t>({2, 4});
  CheckOp({.op = "ConcatOffset",
           .inputs = {Axis(1), s0, s1},
           .expected = {Tensor::Of<int32_t>({0, 0}), Tensor::Of<int32_t>({0, 3})}});
  CheckOpError({.op = "ConcatOffset",
                .inputs = {Axis(1), s0, Tensor::Of<int32_t>({3, 4})},
                .text = "All dimensions except 1 must match. Input 1 has shape [3 4] and doesn't "
                        "match input 0 with shape [2 3].",
                .at_build = false});
}

TEST(Pack, StacksAlongANewAxis) {
  const Tensor a = Tensor::Of<float>({1, 2, 3}), b = Tensor::Of<float>({4, 5, 6});
  CheckOp({.op = "Pack",
           .inputs = {a, b},
           .expected = {Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {2, 3})}});
  for (const int64_t axis : {1, -1}) {
    CheckOp({.op = "Pack",
             .attrs = {{"axis", axis}},
             .inputs = {a, b},
             .expected = {Tensor::Of<float>({1, 4, 2, 5, 3, 6}, {3, 2})}});
  }
  CheckOp({.op = "Pack",
           .inputs = {Tensor::Scalar(1.0f), Tensor::Scalar(2.0f)},
           .expected = {Tensor::Of<float>({1, 2})}});
  CheckOpError(
      {.op = "Pack",
       .inputs = {a, Tensor(DType::kFloat32, {2})},
       .text = "Shapes of all inputs must match: values[0].shape = [3] != values[1].shape = [2]"});
  CheckOpError({.op = "Pack",
                .attrs = {{"axis", int64_t{3}}},
                .inputs = {a, b},
                .text = "axis = 3 not in [-2, 2)"});
}

TEST(Unpack, TakesParts) {
  const Tensor x = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  CheckOp({.op = "Unpack",
           .attrs = {{"num", 2}},
           .inputs = {x},
           .expected = {Tensor::Of<float>({1, 2, 3}), Tensor::Of<float>({4, 5, 6})}});
  CheckOp({.op = "Unpack",
           .attrs = {{"num", 3}, {"axis", int64_t{-1}}},
           .inputs = {x},
           .expected = {Tensor::Of<float>({1, 4}), Tensor::Of<float>({2, 5}),
                        Tensor::Of<float>({3, 6})}});
  CheckOpError({.op = "Unpack",
                .attrs = {{"num", 3}},
                .inputs = {x},
                .text = "Input shape axis 0 must equal 3, got shape [2,3]"});
  CheckOpError({.op = "Unpack",
                .attrs = {{"num", 3}, {"axis", int64_t{4}}},
                .inputs = {x},
                .text = "axis = 4 not in [-2, 2)"});
  Graph g;
  EXPECT_EQ(Unstack(Const(g, {{1, 2}, {3, 4}})).size(), 2u);
  EXPECT_TRUE(Unstack(Placeholder(g, DType::kFloat32)).empty());
  EXPECT_FALSE(g.status().ok());
}

TEST(Split, CutsEqualParts) {
  const Tensor x = Tensor::Of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 4});
  CheckOp({.op = "Split",
           .attrs = {{"num_split", 2}},
           .inputs = {Axis(1), x},
           .constant_inputs = {0},
           .expected = {Tensor::Of<float>({1, 2, 5, 6}, {2, 2}),
                        Tensor::Of<float>({3, 4, 7, 8}, {2, 2})}});
  CheckOp({.op = "Split",
           .attrs = {{"num_split", 2}},
           .inputs = {Axis(-2), x},
           .constant_inputs = {0},
           .expected = {Tensor::Of<float>({1, 2, 3, 4}, {1, 4}),
                        Tensor::Of<float>({5, 6, 7, 8}, {1, 4})}});
  CheckOpError({.op = "Split",
                .attrs = {{"num_split", 3}},
                .inputs = {Axis(1), x},
                .constant_inputs = {0},
                .text = "but got split_dim 1 (size = 4) and num_split 3"});
  CheckOpError({.op = "Split",
                .attrs = {{"num_split", 2}},
                .inputs = {Axis(5), x},
                .constant_inputs = {0},
                .text = "-input rank(-2) <= split_dim < input rank (2), but got 5"});
}

TEST(SplitV, CutsStatedParts) {
  const Tensor x = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {6, 1});
  for (const Tensor& sizes : {Tensor::Of<int64_t>({2, 1, 3}), Tensor::Of<int64_t>({2, 1, -1})}) {
    CheckOp({.op = "SplitV",
             .attrs = {{"num_split", 3}},
             .inputs = {x, sizes, Axis(0)},
             .constant_inputs = {1, 2},
             .expected = {Tensor::Of<float>({1, 2}, {2, 1}), Tensor::Of<float>({3}, {1, 1}),
                          Tensor::Of<float>({4, 5, 6}, {3, 1})}});
  }
  const auto refused = [&](const Tensor& sizes, int num, const char* text) {
    CheckOpError({.op = "SplitV",
                  .attrs = {{"num_split", num}},
                  .inputs = {x, sizes, Axis(0)},
                  .constant_inputs = {1, 2},
                  .text = text});
  };
  refused(Tensor::Of<int32_t>({2, 3}), 2, "Got: 5");
  refused(Tensor::Of<int32_t>({7, -1}), 2, "Got: 7");
  refused(Tensor::Of<int32_t>({-1, -1}), 2, "There can only be one -1");
  refused(Tensor::Of<int32_t>({2, 4}), 3, "have the same elements as outputs");
}

}  // namespace
}  // namespace headrace
