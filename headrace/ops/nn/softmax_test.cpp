#include "headrace/ops/nn/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::RandomTensor;

constexpr DTypeSet kTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

testing::Reference SoftmaxReference(bool log) {
  return [log](const std::vector<Tensor>& in) {
    std::vector<double> x = testing::ToDoubles(in[0]);
    const size_t n = in[0].dim(in[0].rank() - 1);
    for (size_t r = 0; r + n <= x.size() && n > 0; r += n) {
      double most = x[r], sum = 0;
      for (size_t i = 0; i < n; ++i) most = std::max(most, x[r + i]);
      for (size_t i = 0; i < n; ++i) sum += std::exp(x[r + i] - most);
      for (size_t i = 0; i < n; ++i) {
        x[r + i] = log ? x[r + i] - most - std::log(sum) : std::exp(x[r + i] - most) / sum;
      }
    }
    return std::vector{testing::FromDoubles(x, in[0].shape())};
  };
}

TEST(Softmax, MatchesReference) {
  for (const bool log : {false, true}) {
    CheckOp({.op = log ? "LogSoftmax" : "Softmax",
             .inputs = {RandomTensor(DType::kFloat32, {4, 5}, -3, 3)},
             .reference = SoftmaxReference(log),
             .dtypes = kTypes,
             .shapes = {{{7}},
                        {{2, 3, 4}},
                        {{0, 3}},
                        {{3, 0}},
                        {{1, 1}},
                        {{100, 10}},
                        {{3, 1000}},
                        {{200, 33}}}});
  }
}

TEST(Softmax, NumbersOfAnySize) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  Graph g;
  const Output x =
      Const(g, {{0.0f, -kInf}, {kInf, 0.0f}, {-kInf, -kInf}, {kNan, 1.0f}, {1e30f, -1e30f}});
  const Tensor expected =
      Tensor::Of<float>({1, 0, kNan, kNan, kNan, kNan, kNan, kNan, 1, 0}, {5, 2});
  EXPECT_EQ(testing::Difference(testing::Evaluate(Softmax(x)), expected, 0), "");
  const Tensor logs =
      Tensor::Of<float>({0, -kInf, kNan, kNan, kNan, kNan, kNan, kNan, 0, -2e30f}, {5, 2});
  EXPECT_EQ(testing::Difference(testing::Evaluate(LogSoftmax(x)), logs, 0), "");
}

TEST(Softmax, RefusesScalar) {
  testing::CheckOpError({.op = "Softmax", .inputs = {Tensor::Scalar<float>(1)}});
  testing::CheckOpError({.op = "LogSoftmax", .inputs = {Tensor::Scalar<float>(1)}});
}

}  // namespace
}  // namespace headrace
