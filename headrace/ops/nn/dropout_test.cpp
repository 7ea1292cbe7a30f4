// Values are those of TensorFlow: see random_test.cpp. Here: names, gradients, errors.
#include "headrace/ops/nn/dropout.h"

#include <gtest/gtest.h>

#include "headrace/graph/gradients.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

TEST(Dropout, MakesTensorFlowsNodesInItsOrder) {
  Graph g;
  g.SetSeed(1);
  const Output x = testing::FedTensor(g, DType::kFloat32, {-1, 3}, "x");
  Dropout(x, 0.5, {.name = "d"});
  ASSERT_TRUE(g.status().ok()) << g.status();
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"d/rate", "Const"},
      {"d/Shape", "Shape"},
      {"d/random_uniform/min", "Const"},
      {"d/random_uniform/max", "Const"},
      {"d/random_uniform/RandomUniform", "RandomUniform"},
      {"d/random_uniform/sub", "Sub"},
      {"d/random_uniform/mul", "Mul"},
      {"d/random_uniform", "Add"},
      {"d/sub/x", "Const"},
      {"d/sub", "Sub"},
      {"d/truediv/x", "Const"},
      {"d/truediv", "RealDiv"},
      {"d/GreaterEqual", "GreaterEqual"},
      {"d/mul", "Mul"},
      {"d/Cast", "Cast"},
      {"d/mul_1", "Mul"}};
  ASSERT_EQ(g.num_nodes(), static_cast<int>(expected.size()) + 1);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(g.node(static_cast<int>(i) + 1)->name(), expected[i].first);
    EXPECT_EQ(g.node(static_cast<int>(i) + 1)->op_name(), expected[i].second);
  }
  EXPECT_EQ(g.FindNode("d/random_uniform/RandomUniform")->attrs().Get<int64_t>("seed2"), 5);
}

TEST(Dropout, GradientDropsTheSameElements) {
  Graph g;
  const Output x = Ones(g, {1000}, DType::kFloat32);
  const Output y = Dropout(x, 0.25, {.seed = 4});
  const Output dx = Gradients(y, {x})[0].Dense();
  const std::vector<Tensor> values = testing::Evaluate({y, dx});
  EXPECT_EQ(testing::BitDifference(values[0], values[1]), "");
  int dropped = 0;
  for (const float v : values[0].flat<float>()) dropped += v == 0;
  EXPECT_NEAR(dropped, 250, 50);
}

TEST(Dropout, RateOfZeroIsNothing) {
  Graph g;
  const Output x = Const(g, {1.0f, 2.0f});
  EXPECT_EQ(Dropout(x, 0.0), x);
}

TEST(Dropout, RateMayBeATensor) {
  Graph g;
  const Output rate = testing::FedTensor(g, DType::kFloat32, Shape(), "rate");
  const Output y = Dropout(Ones(g, {4}, DType::kFloat32), rate, {.seed = 1});
  EXPECT_EQ(testing::BitDifference(testing::Evaluate(y, {{rate, Tensor::Scalar<float>(0)}}),
                                   Tensor::Of<float>({1, 1, 1, 1})),
            "");
}

TEST(Dropout, RefusesWrongArguments) {
  Graph integers, rates;
  Dropout(Const(integers, {1, 2}), 0.5);
  EXPECT_NE(std::string(Message(integers.status())).find("x has to be a floating point tensor"),
            std::string::npos);
  Dropout(Const(rates, {1.0f}), 1.5);
  EXPECT_NE(std::string(Message(rates.status())).find("in the range [0, 1), got 1.5"),
            std::string::npos);
}

}  // namespace
}  // namespace headrace
