// Random ops with their seeds as attributes or inputs give TensorFlow 1.15's numbers, bit for bit:
// tests/golden/random_ops.json.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/random/samples.h"
#include "headrace/ops/random/stateless.h"
#include "headrace/ops/testing/op_harness.h"
#include "headrace/tensor/dispatch.h"
#include "nlohmann/json.hpp"

namespace headrace {
namespace {

using nlohmann::json;
using testing::CheckOp;
using testing::CheckOpError;
using testing::GraphRunner;

const json& Cases() {
  static const json& cases = *new json(
      json::parse(std::ifstream(HEADRACE_SOURCE_DIR "/tests/golden/random_ops.json")).at("cases"));
  return cases;
}

double Number(const json& value) {
  if (!value.is_string()) return value.get<double>();
  return value == "nan" ? NAN : value == "inf" ? INFINITY : -INFINITY;
}

template <class T>
T Element(const json& value) {
  if constexpr (std::is_integral_v<T>) {
    return value.get<T>();
  } else if constexpr (std::is_same_v<T, double>) {
    return Number(value);
  } else {
    return static_cast<T>(static_cast<float>(Number(value)));
  }
}

Tensor ToTensor(const json& j) {
  const auto dims = j.at("shape").get<std::vector<int64_t>>();
  Tensor tensor(*ParseDType(j.at("dtype").get<std::string>()),
                Shape(std::span<const int64_t>(dims)));
  DispatchDType<kRealTypes>(tensor.dtype(), [&]<class T>() {
    for (size_t i = 0; i < j.at("data").size(); ++i)
      tensor.data<T>()[i] = Element<T>(j.at("data")[i]);
  });
  return tensor;
}

// The file has the whole tensor, or its ends and some elements at equal distances.
void ExpectTensor(const Tensor& actual, const json& expected, double tolerance) {
  ASSERT_EQ(DTypeName(actual.dtype()), expected.at("dtype").get<std::string>());
  const auto dims = expected.at("shape").get<std::vector<int64_t>>();
  ASSERT_EQ(actual.shape(), Shape(std::span<const int64_t>(dims)));
  const int64_t n = actual.num_elements();
  DispatchDType<kRealTypes>(actual.dtype(), [&]<class T>() {
    const auto expect = [&](int64_t at, const json& value) {
      const double wanted = static_cast<double>(Element<T>(value));
      const double got = static_cast<double>(actual.data<T>()[at]);
      if (tolerance == 0 || std::isinf(wanted)) {
        ASSERT_EQ(got, wanted) << "element " << at;
      } else {
        ASSERT_NEAR(got, wanted, tolerance * std::max(1e-30, std::abs(wanted))) << "element " << at;
      }
    };
    if (expected.contains("data")) {
      for (size_t i = 0; i < expected.at("data").size(); ++i)
        expect(static_cast<int64_t>(i), expected.at("data")[i]);
      return;
    }
    const json &first = expected.at("first"), &last = expected.at("last");
    const json spread = expected.value("at_256_step", json::array());
    for (size_t i = 0; i < first.size(); ++i) expect(static_cast<int64_t>(i), first[i]);
    for (size_t i = 0; i < last.size(); ++i)
      expect(n - static_cast<int64_t>(last.size() - i), last[i]);
    const int64_t step = std::max<int64_t>(256, n / 32);
    for (size_t i = 0; i < spread.size(); ++i) expect(static_cast<int64_t>(i) * step, spread[i]);
  });
}

class GoldenRandomOps : public ::testing::TestWithParam<size_t> {};

TEST_P(GoldenRandomOps, BitsAreTensorFlows) {
  const json& c = Cases()[GetParam()];
  const std::string op = c.at("op");
  for (int threads : {1, 3}) {
    Graph g;
    NodeSpec spec{.op = op};
    for (const auto& [key, value] : c.at("attrs").items()) {
      if (value.is_string()) {
        spec.attrs.Set(key, *ParseDType(value.get<std::string>().substr(3)));
      } else {
        spec.attrs.Set(key, value.get<int64_t>());
      }
    }
    for (const json& input : c.at("inputs")) spec.inputs.push_back(Const(g, ToTensor(input)));
    const StatusOr<Node*> node = g.AddNode(std::move(spec));
    ASSERT_TRUE(node.ok()) << node.status();
    GraphRunner runner({.threads = threads});
    for (const json& run : c.at("runs")) {
      const StatusOr<std::vector<Tensor>> actual = runner.Run({(*node)->output(0)});
      ASSERT_TRUE(actual.ok()) << actual.status();
      ExpectTensor((*actual)[0], run, 0);
      if (HasFatalFailure()) return;
    }
  }
}

std::string CaseName(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = Cases()[info.param].at("name");
  for (char& ch : name) {
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  }
  return StrCat(name, "_", info.param);
}
INSTANTIATE_TEST_SUITE_P(TensorFlow115, GoldenRandomOps,
                         ::testing::Range(size_t{0}, Cases().size()), CaseName);

TEST(Stateless, RefusesWrongArguments) {
  const Tensor shape = Tensor::Of<int32_t>({2});
  CheckOpError({.op = "StatelessRandomUniform",
                .inputs = {shape, Tensor::Of<int64_t>({1, 2, 3})},
                .constant_inputs = {0},
                .text = "seed must have shape [2], not [3]"});
  CheckOpError({.op = "StatelessRandomUniformInt",
                .inputs = {shape, Tensor::Of<int64_t>({1, 2}), Tensor::Scalar<int32_t>(5),
                           Tensor::Scalar<int32_t>(5)},
                .constant_inputs = {0},
                .text = "Need minval < maxval, got 5 >= 5",
                .at_build = false});
}

TEST(Stateless, IsTheSameInEveryStep) {
  Graph g;
  const Output seed = Const(g, {int64_t{3}, int64_t{4}});
  const Output x = StatelessRandomNormal({4}, seed), y = StatelessRandomNormal({4}, seed);
  GraphRunner runner;
  const Tensor first = (*runner.Run({x}))[0].Clone();
  EXPECT_EQ(testing::BitDifference((*runner.Run({x}))[0], first), "");
  EXPECT_EQ(testing::BitDifference((*runner.Run({y}))[0], first), "");
}

TEST(RandomGamma, HasItsMeanAndAGradientToAlpha) {
  Graph g;
  const Output alpha = Const(g, {0.5, 4.0});
  const Output x = RandomGamma(g, {4000}, alpha, {.seed = 1});
  ASSERT_TRUE(g.status().ok()) << g.status();
  const std::vector<Gradient> gradients = Gradients(x, {alpha});
  ASSERT_TRUE(g.status().ok()) << g.status();
  ASSERT_TRUE(gradients[0].connected());
  const std::vector<Tensor> values = testing::Evaluate({x, gradients[0].Dense()});
  double sums[2] = {0, 0};
  for (int64_t i = 0; i < 8000; ++i) sums[i % 2] += values[0].data<double>()[i];
  EXPECT_NEAR(sums[0] / 4000, 0.5, 0.05);
  EXPECT_NEAR(sums[1] / 4000, 4, 0.15);
  // The mean grows with alpha, one to one.
  EXPECT_NEAR(values[1].data<double>()[0] / 4000, 1, 0.1);
  EXPECT_NEAR(values[1].data<double>()[1] / 4000, 1, 0.1);
}

TEST(RandomGamma, IsNanWhereItIsNotDefined) {
  Graph g;
  const Output shape = Const(g, {int32_t{2}});
  const Tensor x =
      testing::Evaluate(StandardGamma(shape, Const(g, {0.0f, -1.0f}), {.seed = 1, .seed2 = 1}));
  for (const float v : x.flat<float>()) EXPECT_TRUE(std::isnan(v));
}

TEST(RandomPoisson, HasItsMean) {
  Graph g;
  const Tensor x = testing::Evaluate(
      RandomPoisson(g, {4000}, Const(g, {3.5f, 40.0f}), {.dtype = DType::kInt32, .seed = 1}));
  double sums[2] = {0, 0};
  for (int64_t i = 0; i < 8000; ++i) sums[i % 2] += x.data<int32_t>()[i];
  EXPECT_NEAR(sums[0] / 4000, 3.5, 0.15);
  EXPECT_NEAR(sums[1] / 4000, 40, 0.5);
}

TEST(ParameterizedTruncatedNormal, RefusesWrongParameters) {
  const auto refused = [](float deviation, float low, float high) {
    CheckOpError({.op = "ParameterizedTruncatedNormal",
                  .attrs = {{"seed", 1}},
                  .inputs = {Tensor::Of<int32_t>({2}), Tensor::Scalar(0.0f),
                             Tensor::Scalar(deviation), Tensor::Scalar(low), Tensor::Scalar(high)},
                  .constant_inputs = {0},
                  .text = "Invalid parameters",
                  .at_build = false});
  };
  refused(0, -1, 1);
  refused(1, 1, -1);
  refused(1, -INFINITY, INFINITY);
}

TEST(RandomCrop, TakesAPartAndRefusesALargerOne) {
  Graph g;
  const Output whole = testing::FedTensor(g, DType::kInt32, {4, 5});
  const Output part = RandomCrop(whole, {2, 3}, {.seed = 1});
  ASSERT_TRUE(g.status().ok()) << g.status();
  Tensor x(DType::kInt32, {4, 5});
  for (int32_t i = 0; i < 20; ++i) x.data<int32_t>()[i] = i;
  GraphRunner runner;
  const auto y = runner.Run({part}, {{whole, x}});
  ASSERT_TRUE(y.ok()) << y.status();
  ASSERT_EQ((*y)[0].shape(), (Shape{2, 3}));
  const int32_t* v = (*y)[0].data<int32_t>();
  EXPECT_EQ(v[1], v[0] + 1);
  EXPECT_EQ(v[3], v[0] + 5);
  CheckOpError({.op = "RandomCrop",
                .inputs = {Tensor(DType::kUInt8, {2, 2, 1}), Tensor::Of<int64_t>({2, 3})},
                .code = absl::StatusCode::kFailedPrecondition,
                .text = "width must be >= target_width: width = 2, target_width = 3",
                .at_build = false});
}

}  // namespace
}  // namespace headrace
