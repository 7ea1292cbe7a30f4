#include "headrace/ops/math/clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Elementwise;
using testing::RandomTensor;

TEST(ClipByValue, KeepsWithinBounds) {
  const DTypeSet types{DType::kFloat16, DType::kFloat64, DType::kInt8,
                       DType::kInt16,   DType::kInt32,   DType::kInt64};
  CheckOp({.op = "ClipByValue",
           .inputs = {RandomTensor(DType::kFloat32, {3, 4}, -5, 5), Tensor::Scalar(-2.0f),
                      Tensor::Scalar(3.0f)},
           .reference = Elementwise(
               [](double t, double low, double high) { return std::max(std::min(t, high), low); }),
           .dtypes = types,
           .shapes = {{{0}, Shape(), Shape()},
                      {{20000}, Shape(), Shape()},
                      {{4}, {4}, Shape()},
                      {{4}, {4}, {4}}}});
}

TEST(ClipByValue, GivesTheLowerBoundWhereBoundsCross) {
  CheckOp(
      {.op = "ClipByValue",
       .inputs = {Tensor::Of<float>({-3, 1.5f, 2, 9}), Tensor::Scalar(2.0f), Tensor::Scalar(1.0f)},
       .expected = {Tensor::Of<float>({2, 2, 2, 2})},  // TensorFlow's
       .gradient_of = {{}}});
}

TEST(ClipByValue, LeavesNan) {
  CheckOp({.op = "ClipByValue",
           .inputs = {Tensor::Of<float>({NAN, 9}), Tensor::Scalar(-1.0f), Tensor::Scalar(1.0f)},
           .expected = {Tensor::Of<float>({NAN, 1})},
           .gradient_of = {{}}});
}

TEST(ClipByValue, RefusesBoundsOfAnotherShape) {
  CheckOpError({.op = "ClipByValue",
                .inputs = {Tensor(DType::kFloat32, {2, 3}), Tensor(DType::kFloat32, {3}),
                           Tensor::Scalar(1.0f)},
                .text = "[3]"});
}

TEST(ClipByValue, BuilderTakesNumbers) {
  Graph g;
  ClipByValue(Placeholder(g, DType::kFloat32, {2}), -1, 1);
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_EQ(g.FindNode("ClipByValue")->input(1).node->name(), "ClipByValue/clip_value_min");
}

}  // namespace
}  // namespace headrace
