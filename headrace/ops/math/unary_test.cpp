#include "headrace/ops/math/unary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/math/functors.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Elementwise;
using testing::RandomTensor;

struct UnaryCase {
  const char* op;
  double (*reference)(double);
  DTypeSet dtypes;
  double low = -2, high = 2;
  bool differentiable = true;
};

double Sigmoid64(double x) {
  return 1 / (1 + std::exp(-x));
}
double Sign64(double x) {
  return (x > 0) - (x < 0);
}

constexpr DTypeSet kIeee{DType::kFloat16, DType::kFloat32, DType::kFloat64};
constexpr DTypeSet kInts{DType::kInt32, DType::kInt64};
constexpr DTypeSet kWide{DType::kFloat32, DType::kFloat64};

const UnaryCase kCases[] = {
    {"Abs", [](double x) { return std::abs(x); },
     kFloatTypes | kInts | DTypeSet{DType::kInt8, DType::kInt16}},
    {"Neg", [](double x) { return -x; }, kFloatTypes | kInts},
    {"Sign", Sign64, kIeee | kInts},
    {"Square", [](double x) { return x * x; }, kFloatTypes | kInts},
    {"Sqrt", [](double x) { return std::sqrt(x); }, kFloatTypes, 0.1, 4},
    {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }, kIeee, 0.3, 4},
    {"Inv", [](double x) { return 1 / x; }, kIeee, 0.5, 4},
    {"Reciprocal", [](double x) { return 1 / x; }, kIeee, -4, -0.5},
    {"Exp", [](double x) { return std::exp(x); }, kIeee},
    {"Expm1", [](double x) { return std::expm1(x); }, kIeee},
    {"Log", [](double x) { return std::log(x); }, kFloatTypes, 0.3, 4},
    {"Log1p", [](double x) { return std::log1p(x); }, kIeee, -0.5, 4},
    {"Sigmoid", Sigmoid64, kIeee, -5, 5},
    {"Tanh", [](double x) { return std::tanh(x); }, kIeee},
    {"Sin", [](double x) { return std::sin(x); }, kIeee},
    {"Cos", [](double x) { return std::cos(x); }, kIeee},
    {"Tan", [](double x) { return std::tan(x); }, kIeee, -1, 1},
    {"Asin", [](double x) { return std::asin(x); }, kWide, -0.8, 0.8},
    {"Acos", [](double x) { return std::acos(x); }, kWide, -0.8, 0.8},
    {"Atan", [](double x) { return std::atan(x); }, kWide},
    {"Sinh", [](double x) { return std::sinh(x); }, kWide},
    {"Cosh", [](double x) { return std::cosh(x); }, kWide},
    {"Asinh", [](double x) { return std::asinh(x); }, kWide},
    {"Acosh", [](double x) { return std::acosh(x); }, kWide, 1.5, 4},
    {"Atanh", [](double x) { return std::atanh(x); }, kWide, -0.8, 0.8},
    {"Erf", [](double x) { return std::erf(x); }, kIeee},
    {"Erfc", [](double x) { return std::erfc(x); }, kIeee},
    {"Lgamma", [](double x) { return std::lgamma(x); }, kIeee, 0.5, 4},
    {"Digamma", [](double x) { return fn::Digamma{}(x); }, kIeee, 0.5, 4},
    {"Ceil", [](double x) { return std::ceil(x); }, kIeee, -2, 2, false},
    {"Floor", [](double x) { return std::floor(x); }, kIeee, -2, 2, false},
    {"Round", [](double x) { return std::nearbyint(x); }, kIeee | kInts, -2, 2, false},
    {"Rint", [](double x) { return std::nearbyint(x); }, kWide, -2, 2, false},
};

class Unary : public ::testing::TestWithParam<UnaryCase> {};

TEST_P(Unary, MatchesReference) {
  const UnaryCase& c = GetParam();
  CheckOp({.op = c.op,
           .inputs = {RandomTensor(DType::kFloat32, {3, 7}, c.low, c.high)},
           .reference = Elementwise(c.reference),
           .tolerance = 1e-6,
           .dtypes = c.dtypes,
           .shapes = {{{0, 3}}, {{1, 1}}, {Shape()}, {{3, 2, 129}}, {{40000}}},
           .gradient_of = c.differentiable ? std::nullopt
                                           : std::optional<std::vector<int>>(std::vector<int>{})});
}

INSTANTIATE_TEST_SUITE_P(Ops, Unary, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.op; });

TEST(UnaryIntegers, KeepTheirType) {
  const int32_t low = std::numeric_limits<int32_t>::min();
  CheckOp({.op = "Abs",
           .inputs = {Tensor::Of<int32_t>({3, -4, 0, low})},
           .expected = {Tensor::Of<int32_t>({3, 4, 0, low})}});
  CheckOp({.op = "Abs",
           .inputs = {Tensor::Of<int8_t>({-128, -5})},
           .expected = {Tensor::Of<int8_t>({-128, 5})}});
  CheckOp({.op = "Neg",
           .inputs = {Tensor::Of<int64_t>({3, -4})},
           .expected = {Tensor::Of<int64_t>({-3, 4})}});
  CheckOp({.op = "Sign",
           .inputs = {Tensor::Of<int32_t>({3, -4, 0})},
           .expected = {Tensor::Of<int32_t>({1, -1, 0})}});
  CheckOp({.op = "Square",
           .inputs = {Tensor::Of<int32_t>({3, 1 << 16})},
           .expected = {Tensor::Of<int32_t>({9, 0})}});
  CheckOp({.op = "Round",
           .inputs = {Tensor::Of<int32_t>({3, -4})},
           .expected = {Tensor::Of<int32_t>({3, -4})}});
}

TEST(UnaryRounding, TakesTheEvenNeighbourOfAHalf) {
  const Tensor x = Tensor::Of<float>({-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f});
  CheckOp({.op = "Round",
           .inputs = {x},
           .expected = {Tensor::Of<float>({-2, -2, -0.0f, 0, 2, 2})},
           .gradient_of = {{}}});
  CheckOp({.op = "Rint",
           .inputs = {x},
           .expected = {Tensor::Of<float>({-2, -2, -0.0f, 0, 2, 2})},
           .gradient_of = {{}}});
}

TEST(UnaryTests, TellNanAndInfinity) {
  const Tensor x = Tensor::Of<float>({0, NAN, INFINITY, -INFINITY, 3e38f, -1});
  const DTypeSet types = kIeee;
  CheckOp({.op = "IsNan",
           .inputs = {x},
           .expected = {Tensor::Of<bool>({false, true, false, false, false, false})},
           .dtypes = types});
  CheckOp({.op = "IsInf",
           .inputs = {x},
           .expected = {Tensor::Of<bool>({false, false, true, true, false, false})},
           .dtypes = DTypeSet(DType::kFloat64)});
  CheckOp({.op = "IsFinite",
           .inputs = {x},
           .expected = {Tensor::Of<bool>({true, false, false, false, true, true})},
           .dtypes = DTypeSet(DType::kFloat64)});
  CheckOp({.op = "LogicalNot",
           .inputs = {Tensor::Of<bool>({true, false})},
           .expected = {Tensor::Of<bool>({false, true})}});
}

TEST(UnaryGradientOps, MatchReference) {
  const auto check = [](const char* op, double (*f)(double, double)) {
    CheckOp({.op = op,
             .inputs = {RandomTensor(DType::kFloat32, {3, 4}, 0.2, 0.9, 1),
                        RandomTensor(DType::kFloat32, {3, 4}, -2, 2, 2)},
             .reference = Elementwise(f),
             .dtypes = kIeee,
             .shapes = {{{0}, {0}}, {Shape(), Shape()}, {{9000}, {9000}}}});
    CheckOpError({.op = op,
                  .inputs = {Tensor(DType::kFloat32, {2}), Tensor(DType::kFloat32, {3})},
                  .text = "[3]"});
  };
  check("SigmoidGrad", [](double y, double dy) { return dy * y * (1 - y); });
  check("TanhGrad", [](double y, double dy) { return dy * (1 - y * y); });
  check("SqrtGrad", [](double y, double dy) { return dy * 0.5 / y; });
  check("RsqrtGrad", [](double y, double dy) { return -0.5 * dy * y * y * y; });
  check("InvGrad", [](double y, double dy) { return -dy * y * y; });
  check("ReciprocalGrad", [](double y, double dy) { return -dy * y * y; });
}

TEST(UnaryGradientOps, PassNothingBackThroughARootThatNothingReached) {
  CheckOp({.op = "SqrtGrad",
           .inputs = {Tensor::Of<double>({0, 0, 2}), Tensor::Of<double>({0, 1, 0})},
           .expected = {Tensor::Of<double>({0, INFINITY, 0})},  // TensorFlow's
           .gradient_of = {{}}});
}

TEST(UnaryOps, RefuseDTypesThatTensorFlowRefuses) {
  CheckOpError(
      {.op = "Exp", .inputs = {Tensor::Of<int32_t>({1})}, .text = "int32", .in_step = false});
  CheckOpError(
      {.op = "LogicalNot", .inputs = {Tensor::Of<float>({1})}, .text = "bool", .in_step = false});
}

}  // namespace
}  // namespace headrace
