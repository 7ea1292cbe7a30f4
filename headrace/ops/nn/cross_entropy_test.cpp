#include "headrace/ops/nn/cross_entropy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "headrace/graph/gradients.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

constexpr DTypeSet kTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

// Losses and gradients of rows of logits with a distribution for each.
std::vector<Tensor> DenseReference(const std::vector<double>& x, const std::vector<double>& z,
                                   int64_t rows, int64_t columns) {
  std::vector<double> loss(rows), backprop(rows * columns);
  for (int64_t r = 0; r < rows; ++r) {
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t c = 0; c < columns; ++c) most = std::max(most, x[r * columns + c]);
    for (int64_t c = 0; c < columns; ++c) sum += std::exp(x[r * columns + c] - most);
    for (int64_t c = 0; c < columns; ++c) {
      const double d = x[r * columns + c] - most;
      loss[r] += z[r * columns + c] * (std::log(sum) - d);
      backprop[r * columns + c] = std::exp(d) / sum - z[r * columns + c];
    }
  }
  return {testing::FromDoubles(loss, {rows}), testing::FromDoubles(backprop, {rows, columns})};
}

// Row-major doubles of a tensor broadcast to [rows, columns].
std::vector<double> Spread(const Tensor& t, int64_t rows, int64_t columns) {
  const std::vector<double> x = testing::ToDoubles(t);
  const int64_t own_columns = t.dim(t.rank() - 1), own_rows = t.rank() < 2 ? 1 : t.dim(0);
  std::vector<double> y;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c)
      y.push_back(x[(own_rows == 1 ? 0 : r) * own_columns + (own_columns == 1 ? 0 : c)]);
  }
  return y;
}

testing::Reference Dense() {
  return [](const std::vector<Tensor>& in) {
    const Shape s = *BroadcastShapes(in[0].shape(), in[1].shape());
    return DenseReference(Spread(in[0], s[0], s[1]), Spread(in[1], s[0], s[1]), s[0], s[1]);
  };
}

TEST(SoftmaxCrossEntropy, MatchesReference) {
  CheckOp({.op = "SoftmaxCrossEntropyWithLogits",
           .inputs = {RandomTensor(DType::kFloat32, {4, 5}, -3, 3),
                      RandomTensor(DType::kFloat32, {4, 5}, 0, 1, 2)},
           .reference = Dense(),
           .dtypes = kTypes,
           .shapes = {{{100, 10}, {100, 10}},
                      {{0, 3}, {0, 3}},
                      {{2, 0}, {2, 0}},
                      {{1, 1}, {1, 1}},
                      {{3, 700}, {3, 700}}},
           .gradient_of = std::vector<int>{}});
}

TEST(SoftmaxCrossEntropy, GradientsOfTheLoss) {
  const auto loss = [](Graph&, const std::vector<Output>& in) {
    return std::vector<Output>{SoftmaxCrossEntropyWithLogits(in[0], in[1]).loss};
  };
  const Tensor logits = RandomTensor(DType::kFloat64, {3, 4}, -3, 3);
  // The op takes it that labels sum to 1.
  const Tensor labels =
      Tensor::Of<double>({0.1, 0.2, 0.3, 0.4, 1, 0, 0, 0, 0.5, 0, 0, 0.5}, {3, 4});
  CheckOp({.build = loss, .inputs = {logits, labels}, .gradient_of = std::vector<int>{0}});
  CheckOp({.build = loss, .inputs = {logits, labels}, .gradient_of = std::vector<int>{1}});
}

TEST(SoftmaxCrossEntropy, Broadcasts) {
  for (const auto& [logits, labels] : {std::pair<Shape, Shape>{{1, 3}, {2, 3}},
                                       {{2, 3}, {1, 3}},
                                       {{2, 1}, {2, 3}},
                                       {{3}, {2, 3}}}) {
    CheckOp({.op = "SoftmaxCrossEntropyWithLogits",
             .inputs = {RandomTensor(DType::kFloat32, logits),
                        RandomTensor(DType::kFloat32, labels, 0, 1, 2)},
             .reference = Dense(),
             .gradient_of = std::vector<int>{}});
  }
}

TEST(SoftmaxCrossEntropy, RefusesWrongShapes) {
  const auto check = [](const Shape& a, const Shape& b, const char* text) {
    CheckOpError({.op = "SoftmaxCrossEntropyWithLogits",
                  .inputs = {RandomTensor(DType::kFloat32, a), RandomTensor(DType::kFloat32, b)},
                  .text = text});
  };
  check({2, 3}, {2, 4},
        "logits and labels must be broadcastable: logits_size=[2,3] labels_size=[2,4]");
  check({3}, {3}, "2-dimensional");
}

TEST(SparseSoftmaxCrossEntropy, MatchesReference) {
  const auto reference = [](const std::vector<Tensor>& in) {
    const int64_t rows = in[0].dim(0), columns = in[0].dim(1);
    std::vector<double> labels(rows * columns);
    const std::vector<double> numbers = testing::ToDoubles(in[1]);
    for (int64_t r = 0; r < rows; ++r) labels[r * columns + static_cast<int64_t>(numbers[r])] = 1;
    return DenseReference(testing::ToDoubles(in[0]), labels, rows, columns);
  };
  CheckOp(
      {.op = "SparseSoftmaxCrossEntropyWithLogits",
       .inputs = {RandomTensor(DType::kFloat32, {4, 5}, -3, 3), Tensor::Of<int64_t>({0, 4, 2, 2})},
       .reference = reference,
       .dtypes = kTypes,
       .gradient_of = std::vector<int>{}});
  CheckOp(
      {.build =
           [](Graph&, const std::vector<Output>& in) {
             return std::vector<Output>{SparseSoftmaxCrossEntropyWithLogits(in[0], in[1]).loss};
           },
       .inputs = {RandomTensor(DType::kFloat32, {4, 5}, -3, 3), Tensor::Of<int32_t>({0, 4, 2, 2})},
       .second_order = false});
}

TEST(SparseSoftmaxCrossEntropy, RefusesWrongLabelsAndShapes) {
  const Tensor logits = RandomTensor(DType::kFloat32, {2, 3});
  const auto check = [](Tensor x, Tensor labels, const char* text, bool at_build) {
    CheckOpError({.op = "SparseSoftmaxCrossEntropyWithLogits",
                  .inputs = {std::move(x), std::move(labels)},
                  .text = text,
                  .at_build = at_build});
  };
  check(
      logits, Tensor::Of<int32_t>({0, 3}),
      "Received a label value of 3 which is outside the valid range of [0, 3).  Label values: 0 3",
      false);
  check(logits, Tensor::Of<int64_t>({-1, 5}),
        "Received a label value of -1 which is outside the valid range of [0, 3).  Label values: "
        "-1 5",
        false);
  check(logits, Tensor::Of<int32_t>({0}), "", true);
  check(logits, Tensor::Of<int32_t>({0, 1}, {2, 1}), "", true);
  check(RandomTensor(DType::kFloat32, {2, 3, 1}), Tensor::Of<int32_t>({0, 0}), "", true);
  check(RandomTensor(DType::kFloat32, {2, 0}), Tensor::Of<int32_t>({0, 0}),
        "Must have at least one class", false);
}

TEST(SparseSoftmaxCrossEntropy, SecondDerivativeIsAnError) {
  Graph g;
  const Output x = testing::FedTensor(g, DType::kFloat32, {2, 3}, "x");
  const Output loss = SparseSoftmaxCrossEntropyWithLogits(x, Const(g, {0, 1}));
  const std::vector<Gradient> first = Gradients(loss, {x});
  ASSERT_TRUE(g.status().ok()) << g.status();
  Gradients(first[0].Dense(), {x});
  EXPECT_NE(std::string(Message(g.status()))
                .find("Currently there is no way to take the second derivative"),
            std::string::npos)
      << g.status();
}

TEST(SigmoidCrossEntropy, MatchesReference) {
  CheckOp({.build =
               [](Graph&, const std::vector<Output>& in) {
                 return std::vector<Output>{SigmoidCrossEntropyWithLogits(in[0], in[1])};
               },
           .inputs = {RandomTensor(DType::kFloat32, {3, 4}, 0, 1),
                      RandomTensor(DType::kFloat32, {3, 4}, -5, 5, 2)},
           .reference = testing::Elementwise([](double z, double x) {
             return std::max(x, 0.0) - x * z + std::log1p(std::exp(-std::abs(x)));
           })});
}

TEST(SigmoidCrossEntropy, GradientAtZeroIsExact) {
  Graph g;
  const Output x = testing::FedTensor(g, DType::kFloat32, {1}, "x");
  const Output loss = SigmoidCrossEntropyWithLogits(Const(g, {1.0f}), x);
  const Tensor dx =
      testing::Evaluate(Gradients(loss, {x})[0].Dense(), {{x, Tensor::Of<float>({0})}});
  EXPECT_FLOAT_EQ(dx.data<float>()[0], -0.5f);
}

TEST(WeightedCrossEntropy, MatchesReference) {
  CheckOp({.build =
               [](Graph&, const std::vector<Output>& in) {
                 return std::vector<Output>{WeightedCrossEntropyWithLogits(in[0], in[1], 3)};
               },
           .inputs = {RandomTensor(DType::kFloat32, {3, 4}, 0, 1),
                      RandomTensor(DType::kFloat32, {3, 4}, -5, 5, 2)},
           .reference = testing::Elementwise([](double z, double x) {
             return (1 - z) * x +
                    (1 + 2 * z) * (std::log1p(std::exp(-std::abs(x))) + std::max(-x, 0.0));
           })});
}

}  // namespace
}  // namespace headrace
