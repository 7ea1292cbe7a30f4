#include "headrace/ops/math/simd_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/math/functors.h"

namespace headrace {
namespace {

// Units in the last place of `expected` rounded to T.
template <class T>
double UlpError(T actual, double expected) {
  const T rounded = static_cast<T>(expected);
  if (std::isnan(expected)) return std::isnan(actual) ? 0 : INFINITY;
  if (std::isinf(rounded) || std::isinf(actual)) {
    const bool next_to_infinity = std::abs(actual) > std::numeric_limits<T>::max() / 2;
    return actual == rounded || (std::isinf(rounded) && next_to_infinity) ? 0 : INFINITY;
  }
  const T size = std::abs(rounded);
  const double ulp = static_cast<double>(std::nextafter(size, std::numeric_limits<T>::infinity())) -
                     static_cast<double>(size);
  return std::abs(static_cast<double>(actual) - expected) / ulp;
}

struct FunctionCase {
  const char* op;
  double (*exact)(double);
  double most_ulp;
};

double ExactSigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

const FunctionCase kFunctions[] = {
    {"Exp", [](double x) { return std::exp(x); }, 1.5},
    {"Expm1", [](double x) { return std::expm1(x); }, 4},
    {"Log", [](double x) { return std::log(x); }, 1.5},
    {"Log1p", [](double x) { return std::log1p(x); }, 3},
    {"Tanh", [](double x) { return std::tanh(x); }, 6.5},
    {"Sigmoid", ExactSigmoid, 3},
    {"Sin", [](double x) { return std::sin(x); }, 3},
    {"Cos", [](double x) { return std::cos(x); }, 3},
    {"Asin", [](double x) { return std::asin(x); }, 3},
    {"Acos", [](double x) { return std::acos(x); }, 2},
    {"Atan", [](double x) { return std::atan(x); }, 3},
    {"Sinh", [](double x) { return std::sinh(x); }, 4},
    {"Cosh", [](double x) { return std::cosh(x); }, 4},
    {"Asinh", [](double x) { return std::asinh(x); }, 4},
    {"Acosh", [](double x) { return std::acosh(x); }, 4},
    {"Atanh", [](double x) { return std::atanh(x); }, 4},
    {"Erf", [](double x) { return std::erf(x); }, 6},
    {"Abs", [](double x) { return std::abs(x); }, 0},
    {"Sqrt", [](double x) { return std::sqrt(x); }, 0.5},
    {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1.5},
    {"Floor", [](double x) { return std::floor(x); }, 0},
    {"Ceil", [](double x) { return std::ceil(x); }, 0},
    {"Rint", [](double x) { return std::nearbyint(x); }, 0},
};

class SimdFunction : public ::testing::TestWithParam<FunctionCase> {};

// A sample of all bit patterns: every exponent, infinities, NaN, subnormal numbers.
TEST_P(SimdFunction, IsNearlyExactForEveryFloat) {
  const FunctionCase& c = GetParam();
  const UnaryRow row = FindSimdUnaryRow(c.op, DType::kFloat32);
  ASSERT_NE(row, nullptr);
  std::vector<float> x, y;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 12289)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (float special : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f}) x.push_back(special);
  y.resize(x.size());
  row(x.data(), y.data(), static_cast<int64_t>(x.size()));
  double worst = 0;
  float at = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = UlpError(y[i], c.exact(x[i]));
    if (error > worst) worst = error, at = x[i];
  }
  EXPECT_LE(worst, c.most_ulp) << "at " << at;
}

TEST_P(SimdFunction, IsNearlyExactForDoubles) {
  const FunctionCase& c = GetParam();
  const UnaryRow row = FindSimdUnaryRow(c.op, DType::kFloat64);
  ASSERT_NE(row, nullptr);
  std::vector<double> x = {0.0,    -0.0,   INFINITY, -INFINITY, NAN, 1,    -1,   1e300,
                           -1e300, 1e-300, 5e-324,   709.7,     710, -745, -746, 40000};
  for (int i = -4000; i < 4000; ++i) x.push_back(i * 0.00251);
  for (int e = -300; e < 300; ++e) x.push_back((e % 2 == 0 ? 1.7 : -1.7) * std::pow(10.0, e));
  std::vector<double> y(x.size());
  row(x.data(), y.data(), static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < x.size(); ++i) {
    const double exact = c.exact(x[i]);
    if (std::abs(exact) < std::numeric_limits<double>::min() && std::abs(y[i] - exact) < 1e-307)
      continue;
    // The reference itself is rounded.
    EXPECT_LE(UlpError(y[i], exact), c.most_ulp + 2)
        << "at " << x[i] << ": " << y[i] << ", exactly " << exact;
  }
}

// An element's result does not depend on its place in a row.
TEST_P(SimdFunction, GivesTheSameBitsAtEveryPlace) {
  const UnaryRow row = FindSimdUnaryRow(GetParam().op, DType::kFloat32);
  std::vector<float> x(67), y(67), one(67);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 0.9f * std::sin(static_cast<float>(i * i)) + (i % 11 == 0 ? 1.5f : 0);
  row(x.data(), y.data(), 67);
  for (size_t i = 0; i < x.size(); ++i) row(&x[i], &one[i], 1);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(one[i])) << i;
}

INSTANTIATE_TEST_SUITE_P(Functions, SimdFunction, ::testing::ValuesIn(kFunctions),
                         [](const auto& info) { return info.param.op; });

// The element functions that CUDA kernels share agree with the vector functions.
template <class F>
void ExpectElementFunctionAgrees(const char* op, F f, float low, float high) {
  const UnaryRow row = FindSimdUnaryRow(op, DType::kFloat32);
  std::vector<float> x(1000), y(1000);
  for (int i = 0; i < 1000; ++i) x[i] = low + (high - low) * static_cast<float>(i) / 999;
  row(x.data(), y.data(), 1000);
  for (int i = 0; i < 1000; ++i)
    EXPECT_NEAR(f(x[i]), y[i], 1e-6 * std::max(1.0f, std::abs(y[i]))) << op << " at " << x[i];
}

TEST(Functors, AgreeWithVectorFunctions) {
  ExpectElementFunctionAgrees("Exp", fn::Exp{}, -10, 10);
  ExpectElementFunctionAgrees("Expm1", fn::Expm1{}, -3, 3);
  ExpectElementFunctionAgrees("Log", fn::Log{}, 0.01f, 10);
  ExpectElementFunctionAgrees("Log1p", fn::Log1p{}, -0.9f, 10);
  ExpectElementFunctionAgrees("Tanh", fn::Tanh{}, -12, 12);
  ExpectElementFunctionAgrees("Sigmoid", fn::Sigmoid{}, -30, 30);
  ExpectElementFunctionAgrees("Sin", fn::Sin{}, -10, 10);
  ExpectElementFunctionAgrees("Cos", fn::Cos{}, -10, 10);
  ExpectElementFunctionAgrees("Asin", fn::Asin{}, -1, 1);
  ExpectElementFunctionAgrees("Acos", fn::Acos{}, -1, 1);
  ExpectElementFunctionAgrees("Atan", fn::Atan{}, -10, 10);
  ExpectElementFunctionAgrees("Sinh", fn::Sinh{}, -5, 5);
  ExpectElementFunctionAgrees("Cosh", fn::Cosh{}, -5, 5);
  ExpectElementFunctionAgrees("Asinh", fn::Asinh{}, -9, 9);
  ExpectElementFunctionAgrees("Acosh", fn::Acosh{}, 1, 9);
  ExpectElementFunctionAgrees("Atanh", fn::Atanh{}, -0.99f, 0.99f);
  ExpectElementFunctionAgrees("Erf", fn::Erf{}, -5, 5);
}

TEST(Functors, DigammaMatchesKnownValues) {
  constexpr double kEuler = 0.57721566490153286;
  EXPECT_NEAR(fn::Digamma{}(1.0), -kEuler, 1e-14);
  EXPECT_NEAR(fn::Digamma{}(2.0), 1 - kEuler, 1e-14);
  EXPECT_NEAR(fn::Digamma{}(0.5), -kEuler - 2 * std::log(2.0), 1e-14);
  EXPECT_NEAR(fn::Digamma{}(-0.5), 2 - kEuler - 2 * std::log(2.0), 1e-13);
  EXPECT_NEAR(fn::Digamma{}(100.0), 4.600161852738087, 1e-13);
  EXPECT_EQ(fn::Digamma{}(-3.0), std::numeric_limits<double>::infinity());  // as TensorFlow
  EXPECT_EQ(fn::Digamma{}(0.0f), std::numeric_limits<float>::infinity());
}

}  // namespace
}  // namespace headrace
