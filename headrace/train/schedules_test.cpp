#include "headrace/train/schedules.h"

#include "gmock/gmock.h"
#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/train/testing/golden.h"

namespace headrace {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

double Number(const json& args, const char* name, double otherwise = 0) {
  return args.contains(name) ? args[name].get<double>() : otherwise;
}

// An int in the golden stays an int, so that the constants are those of TensorFlow.
Operand Steps(const json& value) {
  return value.is_number_integer() ? Operand(value.get<int64_t>()) : Operand(value.get<double>());
}

Output Make(Graph& g, const std::string& function, const json& a, Output step) {
  if (function == "piecewise_constant") {
    return PiecewiseConstant(step, a["boundaries"].get<std::vector<double>>(),
                             a["values"].get<std::vector<double>>());
  }
  const Operand rate = Number(a, "learning_rate");
  if (function == "cosine_decay_restarts") {
    return CosineDecayRestarts(rate, step, Steps(a["first_decay_steps"]),
                               {.t_mul = Number(a, "t_mul", 2),
                                .m_mul = Number(a, "m_mul", 1),
                                .alpha = Number(a, "alpha")});
  }
  const Operand steps = Steps(a["decay_steps"]);
  if (function == "polynomial_decay") {
    return PolynomialDecay(rate, step, steps,
                           {.end_learning_rate = Number(a, "end_learning_rate", 0.0001),
                            .power = Number(a, "power", 1),
                            .cycle = a.value("cycle", false)});
  }
  if (function == "cosine_decay")
    return CosineDecay(rate, step, steps, {.alpha = Number(a, "alpha")});
  if (function == "linear_cosine_decay") return LinearCosineDecay(rate, step, steps);
  const Operand decay = Number(a, "decay_rate");
  const DecayOptions options{.staircase = a["staircase"].get<bool>()};
  if (function == "exponential_decay") return ExponentialDecay(rate, step, steps, decay, options);
  if (function == "inverse_time_decay") return InverseTimeDecay(rate, step, steps, decay, options);
  if (function == "natural_exp_decay") return NaturalExpDecay(rate, step, steps, decay, options);
  ADD_FAILURE() << function;
  return {};
}

TEST(Schedules, EqualTensorFlow) {
  const json doc = testing::LoadGolden("schedules.json");
  for (const json& golden : doc["schedules"]) {
    const std::string function = golden["function"].get<std::string>();
    SCOPED_TRACE(StrCat(function, " ", golden["args"].dump()));
    for (const DType type : {DType::kInt64, DType::kInt32}) {
      Graph g;
      Output step = Placeholder(g, type, Shape(), {.name = "global_step"});
      Output rate = Make(g, function, golden["args"], step);
      ASSERT_TRUE(rate.valid()) << g.status();
      const std::unique_ptr<Session> session = testing::MakeSession(g);
      ASSERT_NE(session, nullptr);
      for (size_t i = 0; i < doc["steps"].size(); ++i) {
        const int64_t n = doc["steps"][i].get<int64_t>();
        const Tensor fed =
            type == DType::kInt64 ? Tensor::Scalar(n) : Tensor::Scalar(static_cast<int32_t>(n));
        const float value = testing::Fetch(*session, rate, {{step, fed}}).scalar<float>();
        const auto expected = golden["values"][i].get<float>();
        // A power of 1e3 and more multiplies the last bit of its base; below 1e-30 TensorFlow
        // flushes to zero.
        EXPECT_NEAR(value, expected, std::abs(expected) * 2e-5 + 1e-30) << "step " << n;
      }
    }
  }
}

TEST(Schedules, NodesAreThoseOfTensorFlow) {
  const json doc = testing::LoadGolden("schedules.json");
  int checked = 0;
  for (const json& golden : doc["schedules"]) {
    const std::string function = golden["function"].get<std::string>();
    const json& a = golden["args"];
    // Those with branches select instead.
    if (!golden.contains("nodes") || function == "piecewise_constant" ||
        function == "cosine_decay_restarts")
      continue;
    if (a.value("cycle", false)) continue;
    SCOPED_TRACE(StrCat(function, " ", a.dump()));
    Graph g;
    Output step = Placeholder(g, DType::kInt64, Shape(), {.name = "global_step"});
    ASSERT_TRUE(Make(g, function, a, step).valid()) << g.status();
    testing::ExpectNodes(g, 0, golden["nodes"]);
    ++checked;
  }
  EXPECT_GE(checked, 9);
}

TEST(Schedules, FollowTheDtypeOfTheRate) {
  Graph g;
  Output step = Placeholder(g, DType::kInt64, Shape(), {.name = "step"});
  Output rate = ExponentialDecay(Const(g, 0.5), step, 10, 0.5);
  EXPECT_EQ(rate.dtype(), DType::kFloat64) << g.status();
  const std::unique_ptr<Session> session = testing::MakeSession(g);
  EXPECT_DOUBLE_EQ(
      testing::Fetch(*session, rate, {{step, Tensor::Scalar(int64_t{20})}}).scalar<double>(),
      0.125);
}

TEST(Schedules, PiecesMustFit) {
  {
    Graph g;
    Output step = Placeholder(g, DType::kInt64, Shape());
    EXPECT_FALSE(PiecewiseConstant(step, {1, 2}, {1, 2}).valid());
    EXPECT_THAT(std::string(Message(g.status())),
                HasSubstr("one less than that of values: 2 and 2"));
  }
  {
    Graph g;
    Output step = Placeholder(g, DType::kInt64, Shape());
    EXPECT_FALSE(PiecewiseConstant(step, {2, 1}, {1, 2, 3}).valid());
    EXPECT_THAT(std::string(Message(g.status())), HasSubstr("boundaries must ascend, got 2, 1"));
  }
}

}  // namespace
}  // namespace headrace
