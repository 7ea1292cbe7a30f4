// Random numbers are TensorFlow 1.15's, bit for bit: tests/golden/random.json.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/nn/dropout.h"
#include "headrace/ops/random/generator.h"
#include "headrace/ops/random/random_fill.h"
#include "headrace/ops/random/shuffle.h"
#include "headrace/ops/testing/op_harness.h"
#include "headrace/tensor/dispatch.h"
#include "nlohmann/json.hpp"

namespace headrace {
namespace {

using nlohmann::json;
using testing::BitDifference;
using testing::CheckOpError;
using testing::GraphRunner;

const json& Golden() {
  static const json& golden =
      *new json(json::parse(std::ifstream(HEADRACE_SOURCE_DIR "/tests/golden/random.json")));
  return golden;
}

std::optional<int64_t> OptionalInt(const json& value) {
  return value.is_null() ? std::nullopt : std::optional<int64_t>(value.get<int64_t>());
}

// Element `at` of the tensor is the number in the file, exactly.
void ExpectElement(const Tensor& tensor, int64_t at, const json& expected) {
  constexpr DTypeSet kTypes = kRealTypes;
  DispatchDType<kTypes>(tensor.dtype(), [&]<class T>() {
    const T actual = tensor.data<T>()[at];
    if constexpr (std::is_integral_v<T>) {
      ASSERT_EQ(actual, expected.get<T>()) << "element " << at;
    } else {
      // The file has enough digits to tell all numbers of the type apart.
      const double value = expected.get<double>();
      T rounded;
      if constexpr (std::is_same_v<T, double>) {
        rounded = value;
      } else {
        rounded = static_cast<T>(static_cast<float>(value));
      }
      ASSERT_EQ(static_cast<double>(actual), static_cast<double>(rounded)) << "element " << at;
    }
  });
}

// The file has the whole tensor, or its first and last elements and some at equal distances.
void ExpectTensor(const Tensor& actual, const json& expected) {
  ASSERT_EQ(DTypeName(actual.dtype()), expected.at("dtype").get<std::string>());
  const auto dims = expected.at("shape").get<std::vector<int64_t>>();
  ASSERT_EQ(actual.shape(), Shape(std::span<const int64_t>(dims)));
  if (expected.contains("data")) {
    for (size_t i = 0; i < expected.at("data").size(); ++i)
      ExpectElement(actual, i, expected.at("data")[i]);
    return;
  }
  const int64_t n = actual.num_elements();
  const json& first = expected.at("first");
  const json& last = expected.at("last");
  const json spread = expected.value("at_256_step", json::array());
  for (size_t i = 0; i < first.size(); ++i) ExpectElement(actual, i, first[i]);
  for (size_t i = 0; i < last.size(); ++i) ExpectElement(actual, n - last.size() + i, last[i]);
  const int64_t step = std::max<int64_t>(256, n / 32);
  for (size_t i = 0; i < spread.size(); ++i) ExpectElement(actual, i * step, spread[i]);
}

Tensor RangeTensor(const std::string& text) {
  const auto [n, shape] = text == "reshape(range(24), [8, 3])"
                              ? std::pair(int64_t{24}, Shape{8, 3})
                              : std::pair(*ParseInt(text.substr(6, text.size() - 7)), Shape{0});
  Tensor t(DType::kInt32, n == 24 ? shape : Shape{n});
  for (int64_t i = 0; i < n; ++i) t.data<int32_t>()[i] = static_cast<int32_t>(i);
  return t;
}

// The output of a case, or an invalid one where the case is of ops that belong elsewhere.
Output BuildCase(Graph& g, const json& c) {
  const std::string op = c.at("op");
  const json& args = c.at("args");
  const std::optional<int64_t> seed = OptionalInt(c.at("op_seed"));
  const auto dims = c.at("runs")[0].at("shape").get<std::vector<int64_t>>();
  const DType dtype = ParseDType(c.at("dtype").get<std::string>()).value_or(DType::kInvalid);
  if (op == "random_uniform") {
    RandomUniformOptions o{.minval = args.at("minval").get<double>(), .dtype = dtype, .seed = seed};
    if (!args.at("maxval").is_null()) o.maxval = args.at("maxval").get<double>();
    return RandomUniform(g, dims, o);
  }
  if (op == "random_normal" || op == "truncated_normal") {
    const RandomNormalOptions o{.mean = args.at("mean").get<double>(),
                                .stddev = args.at("stddev").get<double>(),
                                .dtype = dtype,
                                .seed = seed};
    return op == "random_normal" ? RandomNormal(g, dims, o) : TruncatedNormal(g, dims, o);
  }
  if (op == "random_shuffle")
    return RandomShuffle(Const(g, RangeTensor(args.at("value"))), {.seed = seed});
  if (op == "multinomial") {
    std::vector<float> logits;
    for (const json& row : args.at("logits")) logits.insert(logits.end(), row.begin(), row.end());
    const Shape shape{static_cast<int64_t>(args.at("logits").size()),
                      static_cast<int64_t>(args.at("logits")[0].size())};
    return Multinomial(Const(g, Tensor::Of<float>(logits, shape)),
                       args.at("num_samples").get<int>(), {.seed = seed});
  }
  if (op.starts_with("dropout")) {
    DropoutOptions o{.seed = seed};
    if (args.contains("noise_shape"))
      o.noise_shape = IntArg(args.at("noise_shape").get<std::vector<int64_t>>());
    return Dropout(Ones(g, dims, dtype), 1 - args.at("keep_prob").get<double>(), o);
  }
  return {};
}

class GoldenRandom : public ::testing::TestWithParam<size_t> {};

TEST_P(GoldenRandom, BitsAreTensorFlows) {
  const json& c = Golden().at("cases")[GetParam()];
  for (int threads : {1, 3}) {
    Graph g;
    if (const auto seed = OptionalInt(c.at("graph_seed"))) g.SetSeed(*seed);
    const Output output = BuildCase(g, c);
    ASSERT_TRUE(g.status().ok()) << g.status();
    if (!output.valid()) GTEST_SKIP() << c.at("op") << " is not an op of this folder";
    for (const json& expected : c.at("seeds")) {
      const Node* node = g.FindNode(expected[0].get<std::string>());
      ASSERT_NE(node, nullptr) << expected[0];
      EXPECT_EQ(node->op_name(), expected[1].get<std::string>());
      EXPECT_EQ(node->attrs().Get<int64_t>("seed"), expected[2].get<int64_t>());
      EXPECT_EQ(node->attrs().Get<int64_t>("seed2"), expected[3].get<int64_t>());
    }
    GraphRunner runner({.threads = threads});
    for (const json& run : c.at("runs")) {
      const StatusOr<std::vector<Tensor>> actual = runner.Run({output});
      ASSERT_TRUE(actual.ok()) << actual.status();
      ExpectTensor((*actual)[0], run);
      if (HasFatalFailure()) return;
    }
  }
}

std::string CaseName(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = Golden().at("cases")[info.param].at("op");
  for (char& ch : name) {
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  }
  return StrCat(name, "_", info.param);
}
INSTANTIATE_TEST_SUITE_P(TensorFlow115, GoldenRandom,
                         ::testing::Range(size_t{0}, Golden().at("cases").size()), CaseName);

TEST(Random, DefaultSeedsCountTheNodesOfTheGraph) {
  for (const json& c : Golden().at("default_seeds")) {
    if (!c.at("name").get<std::string>().starts_with("three ops")) continue;
    Graph g;
    g.SetSeed(c.at("graph_seed").get<int64_t>());
    const std::vector<Output> outputs = {RandomUniform(g, {2}), RandomNormal(g, {2}),
                                         TruncatedNormal(g, {2})};
    const json& nodes = c.at("node_order");
    ASSERT_EQ(g.num_nodes(), static_cast<int>(nodes.size()) - 1);  // theirs has "init"
    for (int i = 0; i < g.num_nodes(); ++i) {
      EXPECT_EQ(g.node(i)->name(), nodes[i][0].get<std::string>());
      EXPECT_EQ(g.node(i)->op_name(), nodes[i][1].get<std::string>());
    }
    const std::vector<Tensor> values = testing::Evaluate(outputs);
    for (size_t i = 0; i < outputs.size(); ++i) ExpectTensor(values[i], c.at("values")[i]);
  }
}

TEST(Random, EachRunOfANodeContinuesItsOwnSequence) {
  Graph g;
  const Output a = RandomUniform(g, {2}, {.seed = 5, .name = "a"});
  const Output b = RandomUniform(g, {2}, {.seed = 5, .name = "b"});
  GraphRunner runner;
  const Tensor a1 = (*runner.Run({a}))[0].Clone(), b1 = (*runner.Run({b}))[0].Clone(),
               a2 = (*runner.Run({a}))[0].Clone();
  EXPECT_EQ(BitDifference(a1, b1), "");
  EXPECT_NE(BitDifference(a1, a2), "");
  GraphRunner fresh;  // a new session begins again
  EXPECT_EQ(BitDifference((*fresh.Run({a}))[0], a1), "");
}

TEST(Random, WithoutSeedsNumbersDiffer) {
  Graph g;
  const Output x = RandomUniform(g, {4});
  GraphRunner one, two;
  EXPECT_NE(BitDifference((*one.Run({x}))[0].Clone(), (*two.Run({x}))[0].Clone()), "");
}

TEST(Random, TruncatedNormalStaysWithinTwoDeviations) {
  Graph g;
  const Tensor x =
      testing::Evaluate(TruncatedNormal(g, {1000}, {.mean = 5, .stddev = 0.5, .seed = 1}));
  double sum = 0;
  for (const float v : x.flat<float>()) {
    EXPECT_GT(v, 4);
    EXPECT_LT(v, 6);
    sum += v;
  }
  EXPECT_NEAR(sum / 1000, 5, 0.05);
}

TEST(Random, ShapeMayBeATensor) {
  Graph g;
  const Output shape = testing::FedTensor(g, DType::kInt64, {-1}, "shape");
  const Output x = RandomUniform(g, shape, {.seed = 1});
  GraphRunner runner;
  EXPECT_EQ((*runner.Run({x}, {{shape, Tensor::Of<int64_t>({2, 3})}}))[0].shape(), (Shape{2, 3}));
  EXPECT_EQ((*runner.Run({x}, {{shape, Tensor::Of<int64_t>({0, 3})}}))[0].shape(), (Shape{0, 3}));
  EXPECT_EQ((*runner.Run({x}, {{shape, Tensor(DType::kInt64, {0})}}))[0].shape(), Shape());
}

TEST(Random, RefusesWrongArguments) {
  CheckOpError({.op = "RandomUniform",
                .attrs = {{"dtype", DType::kFloat32}},
                .inputs = {Tensor::Of<int32_t>({2, -1})},
                .constant_inputs = {0},
                .text = "-1"});
  const Tensor shape = Tensor::Of<int32_t>({2});
  CheckOpError({.op = "RandomUniformInt",
                .inputs = {shape, Tensor::Scalar<int32_t>(5), Tensor::Scalar<int32_t>(5)},
                .constant_inputs = {0},
                .text = "Need minval < maxval, got 5 >= 5",
                .at_build = false});
  CheckOpError({.op = "RandomUniformInt",
                .inputs = {shape, Tensor::Of<int32_t>({5}), Tensor::Scalar<int32_t>(6)},
                .constant_inputs = {0}});
  Graph g;
  RandomUniform(g, {2}, {.dtype = DType::kInt32});
  EXPECT_NE(std::string(Message(g.status())).find("maxval must be given"), std::string::npos)
      << g.status();
}

TEST(RandomUniformInt, EmptyResultNeedsNoRange) {
  Graph g;
  const Output shape = Const(g, {int32_t{0}});
  const Tensor x =
      testing::Evaluate(RandomUniformInt(shape, Const(g, int32_t{3}), Const(g, int32_t{3})));
  EXPECT_EQ(x.num_elements(), 0);
}

TEST(RandomShuffle, KeepsAllElementsOfEveryType) {
  Graph g;
  const Tensor text = testing::Evaluate(RandomShuffle(
      Const(g, {std::string("a"), std::string("bb"), std::string("ccc")}), {.seed = 1}));
  std::multiset<std::string> strings(text.flat<std::string>().begin(),
                                     text.flat<std::string>().end());
  EXPECT_EQ(strings, (std::multiset<std::string>{"a", "bb", "ccc"}));
  const Tensor rows = testing::Evaluate(
      RandomShuffle(Const(g, testing::RandomTensor(DType::kFloat64, {5, 2})), {.seed = 1}));
  EXPECT_EQ(rows.shape(), (Shape{5, 2}));
  EXPECT_EQ(testing::Evaluate(RandomShuffle(Const(g, 7.0f))).scalar<float>(), 7.0f);
}

TEST(Multinomial, DrawsInProportion) {
  Graph g;
  const Output logits = Const(g, {{0.0f, std::log(3.0f)}});
  const Tensor x =
      testing::Evaluate(Multinomial(logits, 4000, {.seed = 3, .output_dtype = DType::kInt32}));
  double ones = 0;
  for (const int32_t v : x.flat<int32_t>()) ones += v;
  EXPECT_NEAR(ones / 4000, 0.75, 0.03);
}

TEST(Multinomial, RefusesWrongArguments) {
  CheckOpError(
      {.op = "Multinomial",
       .inputs = {testing::RandomTensor(DType::kFloat32, {3}), Tensor::Scalar<int32_t>(1)}});
  CheckOpError(
      {.op = "Multinomial",
       .inputs = {testing::RandomTensor(DType::kFloat32, {3, 2}), Tensor::Scalar<int32_t>(-1)},
       .constant_inputs = {1},
       .text = "num_samples should be nonnegative"});
}

}  // namespace
}  // namespace headrace
