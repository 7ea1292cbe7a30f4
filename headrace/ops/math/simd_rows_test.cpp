#include "headrace/ops/math/simd_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/functors.h"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)  // as the loops
#include "hwy/targets.h"

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
    {"Expm1", [](double x) { return std::expm1(x); }, 2},
    {"Log", [](double x) { return std::log(x); }, 1.5},
    {"Log1p", [](double x) { return std::log1p(x); }, 2},
    {"Tanh", [](double x) { return std::tanh(x); }, 6.5},
    {"Sigmoid", ExactSigmoid, 3},
    {"Sin", [](double x) { return std::sin(x); }, 3},
    {"Cos", [](double x) { return std::cos(x); }, 3},
    {"Asin", [](double x) { return std::asin(x); }, 3},
    {"Acos", [](double x) { return std::acos(x); }, 2},
    {"Atan", [](double x) { return std::atan(x); }, 3},
    {"Tan", [](double x) { return std::tan(x); }, 3},
    {"Sinh", [](double x) { return std::sinh(x); }, 3},
    {"Cosh", [](double x) { return std::cosh(x); }, 3},
    {"Asinh", [](double x) { return std::asinh(x); }, 2},
    {"Acosh", [](double x) { return std::acosh(x); }, 4},
    {"Atanh", [](double x) { return std::atanh(x); }, 2.5},
    {"Erf", [](double x) { return std::erf(x); }, 6},
    {"Abs", [](double x) { return std::abs(x); }, 0},
    {"Sqrt", [](double x) { return std::sqrt(x); }, 0.5},
    {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1.5},
    {"Floor", [](double x) { return std::floor(x); }, 0},
    {"Ceil", [](double x) { return std::ceil(x); }, 0},
    {"Rint", [](double x) { return std::nearbyint(x); }, 0},
};

// Runs a check with the loops of each instruction set that this processor has.
template <class F>
void ForEachTarget(F&& check) {
  const auto choose = [](int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  };
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    choose(target);
    check();
  }
  choose(0);
}

class SimdFunction : public ::testing::TestWithParam<FunctionCase> {};

// A sample of all bit patterns: every exponent, infinities, NaN, subnormal numbers.
void ExpectNearlyExactForEveryFloat(const FunctionCase& c) {
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

TEST_P(SimdFunction, IsNearlyExactForEveryFloat) {
  ForEachTarget([] { ExpectNearlyExactForEveryFloat(GetParam()); });
}

void ExpectNearlyExactForDoubles(const FunctionCase& c) {
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

TEST_P(SimdFunction, IsNearlyExactForDoubles) {
  ForEachTarget([] { ExpectNearlyExactForDoubles(GetParam()); });
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

TEST(SimdFunctions, KeepTheSignOfZeroAndSmallNumbers) {
  for (const char* op :
       {"Tan", "Sinh", "Asinh", "Atanh", "Expm1", "Log1p", "Asin", "Atan", "Sin"}) {
    const UnaryRow row = FindSimdUnaryRow(op, DType::kFloat32);
    const float x[] = {0.0f, -0.0f, 1e-45f, -1e-45f, 1e-38f, -1e-38f, 3e-20f, -3e-20f};
    float y[std::size(x)];
    row(x, y, std::size(x));
    for (size_t i = 0; i < std::size(x); ++i)
      EXPECT_EQ(std::bit_cast<uint32_t>(y[i]), std::bit_cast<uint32_t>(x[i]))
          << op << " of " << x[i];
  }
}

// Pairs of all kinds: small whole numbers, any bit pattern, the limits.
template <class T>
std::vector<T> Operands(uint64_t seed, size_t n) {
  constexpr T kSpecial[] = {T(0.0),   T(-0.0),   T(INFINITY), T(-INFINITY), T(NAN),
                            T(1),     T(-1),     T(2),        T(0.5),       T(-3),
                            T(1e-45), T(-1e-45), T(3.4e38),   T(16777217)};
  std::mt19937_64 random(seed);
  std::vector<T> x(n);
  for (T& value : x) {
    const uint64_t bits = random();
    const T fraction = static_cast<T>(bits >> 11) * T(0x1p-53);
    switch (random() % 4) {
      case 0:
        value = static_cast<T>(static_cast<int>(bits % 41) - 20);
        break;
      case 1:
        value = static_cast<T>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
        if (value != value) value = T(NAN);  // no signalling ones
        break;
      case 2:
        value =
            std::ldexp(random() % 2 == 0 ? fraction : -fraction, static_cast<int>(bits % 16) - 4);
        break;
      default:
        value = kSpecial[bits % std::size(kSpecial)];
    }
  }
  return x;
}

template <class T>
void ExpectNearlyExact(const char* op, double (*exact)(double, double), double most_ulp) {
  const BinaryRow row = FindSimdBinaryRow(op, kDTypeOf<T>);
  ASSERT_NE(row, nullptr);
  const std::vector<T> a = Operands<T>(1, 200'000), b = Operands<T>(2, a.size());
  std::vector<T> y(a.size());
  EXPECT_EQ(row(a.data(), 1, b.data(), 1, y.data(), static_cast<int64_t>(a.size())), kRowOk);
  for (size_t i = 0; i < a.size(); ++i) {
    const double expected = exact(a[i], b[i]);
    if (sizeof(T) == 8 && std::abs(expected) < 1e-307)
      continue;  // the reference has no more digits
    ASSERT_LE(UlpError(y[i], expected), most_ulp)
        << op << "(" << a[i] << ", " << b[i] << ") = " << y[i] << ", exactly " << expected;
    ASSERT_TRUE(std::isnan(expected) || std::signbit(y[i]) == std::signbit(expected))
        << op << "(" << a[i] << ", " << b[i] << ")";
  }
  // An element's result does not depend on its place, nor on whether the other operand is one
  // number.
  for (size_t i = 0; i < 500; ++i) {
    T alone;
    row(&a[i], 1, &b[i], 1, &alone, 1);
    std::vector<T> many(37, a[i]), results(37);
    row(many.data(), 1, &b[i], 0, results.data(), 37);
    if (op == std::string_view("Pow") && (b[i] == 2 || b[i] == 1 || b[i] == -1))
      continue;  // products
    for (const T result : results)
      ASSERT_TRUE(std::memcmp(&result, &alone, sizeof(T)) == 0 ||
                  (result != result && alone != alone))
          << op << "(" << a[i] << ", " << b[i] << ")";
  }
}

double Angle(double y, double x) {
  return std::atan2(y, x);
}
double Power(double x, double y) {
  return std::pow(x, y);
}
TEST(SimdFunctions, OfTwoArgumentsAreNearlyExact) {
  ForEachTarget([] {
    ExpectNearlyExact<float>("Atan2", Angle, 2);
    ExpectNearlyExact<double>("Atan2", Angle, 3);
    ExpectNearlyExact<float>("Pow", Power, 1);
    ExpectNearlyExact<double>("Pow", Power, 1);
  });
}

TEST(SimdFunctions, PowersOfWholeNumbersAreExact) {
  const BinaryRow row = FindSimdBinaryRow("Pow", DType::kFloat32);
  for (int base = -40; base <= 40; ++base) {
    double exact = 1;
    for (int exponent = 0; exponent <= 20; ++exponent, exact *= base) {
      if (std::abs(exact) > 0x1p24) break;
      const float x = static_cast<float>(base), y = static_cast<float>(exponent);
      float power;
      row(&x, 1, &y, 1, &power, 1);
      EXPECT_EQ(power, static_cast<float>(exact)) << base << "^" << exponent;
    }
  }
}

// Loops of integers and bools against the functions of single elements, at all lengths and from odd
// places.
template <class T, class F>
void ExpectRowIsElements(const char* op, F f, std::vector<T> values) {
  using R = decltype(f(T{}, T{}));
  const BinaryRow row = FindSimdBinaryRow(op, kDTypeOf<T>);
  ASSERT_NE(row, nullptr) << op;
  std::vector<T> a(140), b(140);
  std::mt19937 random(7);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = values[random() % values.size()];
    b[i] = values[random() % values.size()];
  }
  std::unique_ptr<R[]> y(new R[140]);
  for (int64_t n = 0; n <= 130; ++n) {
    for (const int64_t a_step : {0, 1}) {
      for (const int64_t b_step : {0, 1}) {
        const size_t from = static_cast<size_t>(n) % 7;
        EXPECT_EQ(row(&a[from], a_step, &b[from], b_step, y.get() + 1, n), kRowOk);
        for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
          const T left = a[from + (a_step != 0 ? i : 0)], right = b[from + (b_step != 0 ? i : 0)];
          ASSERT_EQ(y[i + 1], f(left, right)) << op << " of " << +left << " and " << +right;
        }
      }
    }
  }
}

template <class T>
void ExpectIntegerRowsAreElements() {
  SCOPED_TRACE(DTypeName(kDTypeOf<T>));
  using Limits = std::numeric_limits<T>;
  const std::vector<T> any = {
      0, 1, 2, 3, 7, 100, T(-1), T(-2), T(-5), T(-100), Limits::min(), Limits::max()};
  std::vector<T> not_zero = any;
  std::erase(not_zero, T(0));
  ExpectRowIsElements<T>("Add", fn::Add{}, any);
  ExpectRowIsElements<T>("Sub", fn::Sub{}, any);
  ExpectRowIsElements<T>("Mul", fn::Mul{}, any);
  ExpectRowIsElements<T>("Div", fn::Div{}, not_zero);
  ExpectRowIsElements<T>("FloorDiv", fn::FloorDiv{}, not_zero);
  ExpectRowIsElements<T>("BitwiseAnd", fn::BitwiseAnd{}, any);
  ExpectRowIsElements<T>("BitwiseOr", fn::BitwiseOr{}, any);
  ExpectRowIsElements<T>("BitwiseXor", fn::BitwiseXor{}, any);
  ExpectRowIsElements<T>("LeftShift", fn::LeftShift{}, any);
  ExpectRowIsElements<T>("RightShift", fn::RightShift{}, any);
  if constexpr (!std::is_same_v<T, uint16_t>) {  // TensorFlow compares no uint16
    ExpectRowIsElements<T>("Less", fn::Less{}, any);
    ExpectRowIsElements<T>("GreaterEqual", fn::GreaterEqual{}, any);
    ExpectRowIsElements<T>("Equal", fn::Equal{}, any);
  }
  if constexpr (sizeof(T) >= 4) {
    ExpectRowIsElements<T>("Maximum", fn::Maximum{}, any);
    ExpectRowIsElements<T>("FloorMod", fn::FloorMod{}, not_zero);
    ExpectRowIsElements<T>("TruncateMod", fn::TruncateMod{}, not_zero);
    ExpectRowIsElements<T>("SquaredDifference", fn::SquaredDifference{}, any);
  }
}
TEST(SimdIntegers, AreTheElementFunctions) {
  ForEachTarget([] {
    ExpectIntegerRowsAreElements<int8_t>();
    ExpectIntegerRowsAreElements<int16_t>();
    ExpectIntegerRowsAreElements<int32_t>();
    ExpectIntegerRowsAreElements<int64_t>();
    ExpectIntegerRowsAreElements<uint8_t>();
    ExpectIntegerRowsAreElements<uint16_t>();
  });
}

TEST(SimdIntegers, ShiftsKnowTheirPlaces) {
  const int32_t x[] = {1, -1, -8, 5, 5, 1}, y[] = {31, 40, 1, -3, 0, 4};
  int32_t left[6], right[6];
  FindSimdBinaryRow("LeftShift", DType::kInt32)(x, 1, y, 1, left, 6);
  FindSimdBinaryRow("RightShift", DType::kInt32)(x, 1, y, 1, right, 6);
  EXPECT_THAT(left, ::testing::ElementsAre(std::numeric_limits<int32_t>::min(),
                                           std::numeric_limits<int32_t>::min(), -16, 5, 5, 16));
  EXPECT_THAT(right, ::testing::ElementsAre(0, -1, -4, 5, 5, 0));
}

// Results of 16 MB and more are made in blocks that go past the caches.
TEST(LargeResults, AreThoseOfSmallOnes) {
  const int64_t n = (17 << 20) / 4 + 5;
  std::vector<float> x(static_cast<size_t>(n)), y(x.size()), z(x.size() + 1);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>(i % 1013), y[i] = static_cast<float>(i % 7);
  WorkerPool workers(2);
  const BinaryFunction add = FindBinaryFunction("Add", DType::kFloat32, DType::kFloat32);
  for (const int64_t b_step : {0, 1}) {
    ASSERT_TRUE(add.RunSteps(x.data(), 1, y.data(), b_step, z.data() + 1, n, workers).ok());
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(z[i + 1], x[i] + (b_step != 0 ? y[i] : y[0])) << i;
  }
  const UnaryFunction neg = FindUnaryFunction("Neg", DType::kFloat32, DType::kFloat32);
  neg.Run(x.data(), z.data(), n, workers);
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(z[i], -x[i]) << i;
  neg.Run(z.data(), z.data(), n, workers);  // in place
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(z[i], x[i]) << i;
  // Rows: [rows, 1000] + [1000].
  const Shape shape{n / 1000, 1000}, row{1000};
  BroadcastPlan<2> plan;
  ASSERT_TRUE(plan.Prepare({&shape, &row}).ok());
  ASSERT_TRUE(add.Run(plan, x.data(), x.data(), z.data(), workers).ok());
  for (size_t i = 0; i < static_cast<size_t>(shape.num_elements()); ++i)
    ASSERT_EQ(z[i], x[i] + x[i % 1000]) << i;
}

TEST(LargeResults, ReportWhatIsNotDefined) {
  std::vector<int32_t> x(5 << 20, 7), y(x.size(), 2), z(x.size());
  y[3 << 20] = 0;
  WorkerPool workers(1);
  const BinaryFunction divide = FindBinaryFunction("FloorDiv", DType::kInt32, DType::kInt32);
  EXPECT_FALSE(divide.RunSame(x.data(), y.data(), z.data(), 5 << 20, workers).ok());
  y[3 << 20] = 2;
  EXPECT_TRUE(divide.RunSame(x.data(), y.data(), z.data(), 5 << 20, workers).ok());
  EXPECT_EQ(z[5], 3);
}

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
  ExpectElementFunctionAgrees("Tan", fn::Tan{}, -1.5f, 1.5f);
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
