#include "headrace/ops/nn/activations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/nn/activation_functors.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Elementwise;
using testing::RandomTensor;

constexpr DTypeSet kIeee{DType::kFloat16, DType::kFloat32, DType::kFloat64};
constexpr DTypeSet kInts{DType::kInt8,  DType::kInt16, DType::kInt32,
                         DType::kInt64, DType::kUInt8, DType::kUInt16};

double Elu64(double x) {
  return x < 0 ? std::expm1(x) : x;
}
double Selu64(double x) {
  return x < 0 ? fn::kSeluScaleAlpha * std::expm1(x) : fn::kSeluScale * x;
}

struct Case {
  const char* op;
  double (*function)(double);
  double (*gradient)(double dy, double x);  // of what the gradient op takes: input or result
  DTypeSet dtypes;
};
const Case kCases[] = {
    {"Relu", [](double x) { return std::max(x, 0.0); },
     [](double dy, double x) { return x > 0 ? dy : 0; }, kFloatTypes | kInts},
    {"Relu6", [](double x) { return std::min(std::max(x, 0.0), 6.0); },
     [](double dy, double x) { return x > 0 && x < 6 ? dy : 0; }, kFloatTypes | kInts},
    {"LeakyRelu", [](double x) { return x > 0 ? x : double{0.2f} * x; },
     [](double dy, double x) { return x > 0 ? dy : double{0.2f} * dy; }, kFloatTypes},
    {"Elu", Elu64, [](double dy, double y) { return y < 0 ? dy * (y + 1) : dy; }, kIeee},
    {"Selu", Selu64,
     [](double dy, double y) {
       return y < 0 ? dy * (y + fn::kSeluScaleAlpha) : dy * fn::kSeluScale;
     },
     kIeee},
    {"Softplus", [](double x) { return std::log1p(std::exp(x)); },
     [](double dy, double x) { return dy / (1 + std::exp(-x)); }, kFloatTypes},
    {"Softsign", [](double x) { return x / (1 + std::abs(x)); },
     [](double dy, double x) { return dy / ((1 + std::abs(x)) * (1 + std::abs(x))); }, kFloatTypes},
};

class Activation : public ::testing::TestWithParam<Case> {};

TEST_P(Activation, MatchesReference) {
  const Case& c = GetParam();
  const bool softsign =
      std::string_view(c.op) == "Softsign";  // its gradient has none, as in TensorFlow
  CheckOp({.op = c.op,
           .inputs = {RandomTensor(DType::kFloat32, {3, 5}, -7, 9)},
           .reference = Elementwise(c.function),
           .dtypes = c.dtypes,
           .shapes = {{{0, 3}}, {{1, 1}}, {Shape()}, {{7, 1000}}},
           .second_order = !softsign});
}

TEST_P(Activation, GradientOpMatchesReference) {
  const Case& c = GetParam();
  const bool softsign = std::string_view(c.op) == "Softsign";
  CheckOp({.op = StrCat(c.op, "Grad"),
           .inputs = {RandomTensor(DType::kFloat32, {3, 5}),
                      RandomTensor(DType::kFloat32, {3, 5}, -7, 9, 2)},
           .reference = Elementwise(c.gradient),
           .dtypes = c.dtypes,
           .shapes = {{{0, 3}, {0, 3}}, {{1, 1}, {1, 1}}},
           .gradient_of = softsign ? std::vector<int>{} : std::vector<int>{0, 1},
           .second_order = false});
  CheckOpError(
      {.op = StrCat(c.op, "Grad"),
       .inputs = {RandomTensor(DType::kFloat32, {2, 3}), RandomTensor(DType::kFloat32, {3, 2})}});
}

INSTANTIATE_TEST_SUITE_P(All, Activation, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.op); });

TEST(Activations, SpecialValuesAreTensorFlows) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  Graph g;
  const Output x = Const(g, {0.0f, -0.0f, kNan, kInf, -kInf, 100.0f, -100.0f});
  struct Expected {
    Output y;
    std::vector<float> values;
  };
  for (const Expected& e :
       {Expected{Relu(x), {0, -0.0f, kNan, kInf, 0, 100, 0}},
        Expected{Relu6(x), {0, -0.0f, kNan, 6, 0, 6, 0}},
        Expected{Elu(x), {0, -0.0f, kNan, kInf, -1, 100, -1}},
        Expected{Softplus(x), {std::log(2.0f), std::log(2.0f), kNan, kInf, 0, 100, 0}},
        Expected{Softsign(x), {0, -0.0f, kNan, kNan, kNan, 100.0f / 101, -100.0f / 101}},
        Expected{LeakyRelu(x, {.alpha = -1}), {-0.0f, 0, kNan, kInf, kInf, 100, 100}}}) {
    const Tensor expected = Tensor::Of<float>(std::span<const float>(e.values), {7});
    EXPECT_EQ(testing::Difference(testing::Evaluate(e.y), expected, 1e-6), "") << e.y.name();
  }
  // What flows into a closed gate is multiplied by 0, not dropped.
  const Output dy = Const(g, {kNan, 1.0f, 1.0f, 1.0f, kInf, 1.0f, 1.0f});
  const Tensor dx = testing::Evaluate(ReluGrad(dy, x));
  EXPECT_TRUE(std::isnan(dx.data<float>()[0]));
  EXPECT_TRUE(std::isnan(dx.data<float>()[4]));
  EXPECT_EQ(dx.data<float>()[2], 0);
  EXPECT_EQ(dx.data<float>()[3], 1);
}

TEST(Activations, FastExpIsExactWhereItMatters) {
  double worst = 0;
  for (float x = -87; x < 88.7f; x += 0.0137f) {
    const double exact = std::exp(double{x});
    worst = std::max(worst, std::abs(fn::FastExp(x) - exact) / exact);
  }
  EXPECT_LT(worst, 1.2e-7);
  EXPECT_EQ(fn::FastExp(0.0f), 1.0f);
  EXPECT_EQ(fn::FastExp(-88.0f), 0.0f);
  EXPECT_EQ(fn::FastExp(-std::numeric_limits<float>::infinity()), 0.0f);
  EXPECT_EQ(fn::FastExp(std::numeric_limits<float>::infinity()),
            std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(fn::FastExp(std::numeric_limits<float>::quiet_NaN())));
}

TEST(CRelu, JoinsBothSigns) {
  Graph g;
  const Tensor y = testing::Evaluate(CRelu(Const(g, {{1.0f, -2.0f}})));
  EXPECT_EQ(testing::BitDifference(y, Tensor::Of<float>({1, 0, 0, 2}, {1, 4})), "");
}

}  // namespace
}  // namespace headrace
