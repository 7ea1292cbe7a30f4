// Known values from Abramowitz and Stegun and from closed forms; the rest is in
// tests/golden/ops/array_math.json.
#include "headrace/ops/math/special.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/math/cumulative.h"
#include "headrace/ops/math/normalize.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/sparse_matmul.h"
#include "headrace/ops/math/special_functors.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Elementwise;
using testing::RandomTensor;

constexpr DTypeSet kWide{DType::kFloat32};

Tensor Doubles(std::initializer_list<double> values) {
  return Tensor::Of<double>(values);
}

TEST(Igamma, MatchesClosedForms) {
  // P(1, x) = 1 - e^-x, P(2, x) = 1 - (1 + x) e^-x, P(1/2, x) = erf(sqrt(x)).
  const Tensor a = Doubles({1, 1, 2, 2, 0.5, 0.5, 1, 1}),
               x = Doubles({0.3, 40, 0.5, 7, 0.2, 9, 0, INFINITY});
  const Tensor p = Doubles({-std::expm1(-0.3), 1 - std::exp(-40.0), 1 - 1.5 * std::exp(-0.5),
                            1 - 8 * std::exp(-7.0), std::erf(std::sqrt(0.2)), std::erf(3.0), 0, 1});
  const Tensor q = Doubles({std::exp(-0.3), std::exp(-40.0), 1.5 * std::exp(-0.5),
                            8 * std::exp(-7.0), std::erfc(std::sqrt(0.2)), std::erfc(3.0), 1, 0});
  CheckOp({.op = "Igamma",
           .inputs = {a, x},
           .expected = {p},
           .tolerance = 1e-6,
           .dtypes = kWide,
           .gradient_of = {{}}});
  CheckOp({.op = "Igammac",
           .inputs = {a, x},
           .expected = {q},
           .tolerance = 1e-6,
           .dtypes = kWide,
           .gradient_of = {{}}});
}

TEST(Igamma, IsExactInTheTail) {
  EXPECT_NEAR(fn::UpperGamma(2, 100) / (101 * std::exp(-100.0)), 1, 1e-12);
  EXPECT_NEAR(fn::LowerGamma(50, 1) / 1.2340e-65, 1, 1e-3);
  EXPECT_NEAR(fn::LowerGamma(1000, 1000), 0.504205244, 1e-8);
}

TEST(Igamma, IsNanWhereItIsNotDefined) {
  CheckOp({.op = "Igamma",
           .inputs = {Doubles({0, -1, 2, NAN, 1}), Doubles({1, 1, -1, 1, NAN})},
           .expected = {Doubles({NAN, NAN, NAN, NAN, NAN})},
           .gradient_of = {{}}});
  CheckOp({.op = "Igamma",
           .inputs = {Doubles({-1, 0, 2}), Doubles({0, 0, 0})},
           .expected = {Doubles({0, 0, 0})},  // TensorFlow's: x is looked at first
           .gradient_of = {{}}});
}

TEST(Igamma, HasGradientsToBoth) {
  for (const char* op : {"Igamma", "Igammac"}) {
    CheckOp({.op = op,
             .inputs = {Tensor::Of<double>({0.7, 2.5, 6}, {3, 1}), Doubles({0.4, 3})},
             .second_order = false,
             .gradient_tolerance = 1e-4});
  }
  for (const auto& [a, x] : {std::pair(0.7, 0.4), {2.5, 1.0}, {2.5, 8.0}, {30.0, 33.0}}) {
    const double step = 1e-5;
    const double numeric = (fn::LowerGamma(a + step, x) - fn::LowerGamma(a - step, x)) / (2 * step);
    EXPECT_NEAR(fn::LowerGammaDerivative(a, x), numeric, 1e-8) << a << " " << x;
    // Moving along a sample keeps P: dP/da + dP/dx dx/da = 0.
    const double density = (fn::LowerGamma(a, x + step) - fn::LowerGamma(a, x - step)) / (2 * step);
    EXPECT_NEAR(fn::GammaSampleDerivative(a, x) * density, -numeric, 1e-8) << a << " " << x;
  }
}

TEST(Betainc, MatchesClosedForms) {
  // I_x(1, b) = 1 - (1-x)^b, I_x(a, 1) = x^a, I_x(2, 2) = x^2 (3 - 2x).
  CheckOp({.op = "Betainc",
           .inputs = {Doubles({1, 3, 2, 2, 2, 5}), Doubles({4, 1, 2, 2, 2, 2}),
                      Doubles({0.2, 0.7, 0.4, 0, 1, 0.99})},
           .expected = {Doubles({1 - std::pow(0.8, 4), std::pow(0.7, 3), 0.16 * 2.2, 0, 1,
                                 6 * std::pow(0.99, 5) - 5 * std::pow(0.99, 6)})},
           .tolerance = 1e-6,
           .dtypes = kWide,
           .gradient_of = {{}}});
  CheckOp({.op = "Betainc",
           .inputs = {Doubles({0, 1, 1, NAN}), Doubles({1, -1, 1, 1}), Doubles({0.5, 0.5, 2, 0.5})},
           .expected = {Doubles({NAN, NAN, NAN, NAN})},
           .gradient_of = {{}}});
}

TEST(Betainc, RepeatsScalarsAndHasAGradientToX) {
  CheckOp({.op = "Betainc",
           .inputs = {Tensor::Scalar(2.0), Doubles({1.5, 2, 3}), Doubles({0.2, 0.5, 0.7})},
           .gradient_of = {{2}}});
  CheckOp({.op = "Betainc",
           .inputs = {Tensor::Scalar(2.0), Tensor::Scalar(3.0), Tensor::Scalar(0.5)},
           .expected = {Tensor::Scalar(0.6875)},
           .gradient_of = {{2}}});
  CheckOpError(
      {.op = "Betainc", .inputs = {Doubles({1, 2}), Doubles({1, 2, 3}), Doubles({0.1, 0.2})}});
}

TEST(Bessel, MatchesTheStandardLibrary) {
  const Tensor x = Doubles({0, 0.5, -1, 5, -10, 29.9, 30.1, 100, 600});
  CheckOp({.op = "BesselI0e",
           .inputs = {x},
           .reference = Elementwise(
               [](double v) { return std::exp(-std::abs(v)) * std::cyl_bessel_i(0, std::abs(v)); }),
           .dtypes = DTypeSet{DType::kFloat16, DType::kBFloat16, DType::kFloat32},
           .gradient_of = {{}}});
  CheckOp({.op = "BesselI1e",
           .inputs = {x},
           .reference = Elementwise([](double v) {
             const double y = std::exp(-std::abs(v)) * std::cyl_bessel_i(1, std::abs(v));
             return v < 0 ? -y : y;
           }),
           .dtypes = DTypeSet{DType::kFloat16, DType::kBFloat16, DType::kFloat32},
           .gradient_of = {{}}});
  for (const char* op : {"BesselI0e", "BesselI1e"})
    CheckOp({.op = op, .inputs = {Doubles({0.5, -2, 40})}});
}

TEST(NextAfter, StepsTowardsTheOther) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  CheckOp({.op = "NextAfter",
           .inputs = {Tensor::Of<float>({0, 1, 1, NAN}), Tensor::Of<float>({1, 2, 1, 0})},
           .expected = {Tensor::Of<float>({tiny, 1 + 0x1p-23f, 1, NAN})},
           .tolerance = 1e-30,
           .gradient_of = {{}}});
  CheckOp({.op = "NextAfter",
           .inputs = {Tensor::Of<double>({1, 2}, {2, 1}), Doubles({5, -5, 1.5})},
           .gradient_of = {{0}}});
}

TEST(ApproximateEqual, ComparesDistances) {
  CheckOp({.op = "ApproximateEqual",
           .attrs = {{"tolerance", 0.125f}},
           .inputs = {Doubles({1, 1, 1, NAN, INFINITY}), Doubles({1.1, 1.125, 0.5, NAN, INFINITY})},
           .expected = {Tensor::Of<bool>({true, false, false, false, false})},
           .dtypes = kWide});
  CheckOpError({.op = "ApproximateEqual", .inputs = {Doubles({1, 2}), Doubles({1})}});
}

TEST(EuclideanNorm, IsTheRootOfTheSumOfSquares) {
  const Tensor x = Tensor::Of<float>({3, 4, -5, 12}, {2, 2});
  CheckOp({.op = "EuclideanNorm",
           .inputs = {x, Tensor::Of<int32_t>({1})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({5, 13})},
           .dtypes = kFloatTypes | DTypeSet{DType::kInt32, DType::kInt64, DType::kInt16}});
  CheckOp({.op = "EuclideanNorm",
           .attrs = {{"keep_dims", true}},
           .inputs = {Tensor::Of<std::complex<float>>({{3, 4}, {0, 12}}), Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<std::complex<float>>({{13, 0}})}});
  CheckOp({.op = "EuclideanNorm",  // of single elements
           .inputs = {x, Tensor(DType::kInt32, {0})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({3, 4, 5, 12}, {2, 2})}});
  CheckOp({.op = "EuclideanNorm",
           .inputs = {Tensor(DType::kFloat32, {0, 2}), Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({0, 0})}});
}

TEST(ReduceStd, HasGradients) {
  CheckOp({.build = [](Graph&, const std::vector<Output>& x) -> std::vector<Output> {
             return {ReduceStd(x[0], 1), ReduceVariance(x[0], 0, {.keep_dims = true})};
           },
           .inputs = {Tensor::Of<double>({1, 2, 4, 0, 3, 9}, {2, 3})},
           .expected = {Tensor::Of<double>({std::sqrt(14.0 / 9), std::sqrt(14.0)}),
                        Tensor::Of<double>({0.25, 0.25, 6.25}, {1, 3})}});
}

TEST(L2Normalize, GivesVectorsOfLengthOne) {
  CheckOp({.build = [](Graph&, const std::vector<Output>& x) -> std::vector<Output> {
             return {L2Normalize(x[0], 1), L2Normalize(x[0])};
           },
           .inputs = {Tensor::Of<double>({3, 4, 0, -12}, {2, 2})},
           .expected = {Tensor::Of<double>({0.6, 0.8, 0, -1}, {2, 2}),
                        Tensor::Of<double>({3.0 / 13, 4.0 / 13, 0, -12.0 / 13}, {2, 2})}});
}

TEST(CumulativeLogsumexp, RunsAlongTheAxis) {
  CheckOp({.op = "CumulativeLogsumexp",
           .inputs = {Doubles({0, std::log(2.0), std::log(3.0)}), Tensor::Scalar<int32_t>(0)},
           .constant_inputs = {1},
           .expected = {Doubles({0, std::log(3.0), std::log(6.0)})},
           .dtypes = DTypeSet{DType::kFloat16, DType::kFloat32}});
  CheckOp(
      {.op = "CumulativeLogsumexp",
       .attrs = {{"reverse", true}},
       .inputs = {Tensor::Of<double>({1000, 1000, -1000, 5}, {2, 2}), Tensor::Scalar<int32_t>(1)},
       .constant_inputs = {1},
       .expected = {Tensor::Of<double>({1000 + std::log(2.0), 1000, 5, 5}, {2, 2})},
       .gradient_of = {{}}});
  CheckOpError({.op = "CumulativeLogsumexp",
                .inputs = {Doubles({1}), Tensor::Scalar<int32_t>(1)},
                .constant_inputs = {1},
                .text = "Expected scan axis in the range [-1, 1), but got 1"});
}

TEST(SparseMatMul, MultipliesFloatsAndBFloats) {
  const Tensor a = Tensor::Of<float>({1, 0, 2, 0, 3, 0}, {2, 3}),
               b = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor c = Tensor::Of<float>({11, 14, 9, 12}, {2, 2});
  CheckOp({.op = "SparseMatMul",
           .attrs = {{"a_is_sparse", true}},
           .inputs = {a, b},
           .expected = {c},
           .gradient_tolerance = 2e-2,
           .gradient_dtype = DType::kFloat32,
           .gradient_step = 1e-2});
  for (const auto& [ta, tb] : {std::pair(DType::kBFloat16, DType::kFloat32),
                               {DType::kFloat32, DType::kBFloat16},
                               {DType::kBFloat16, DType::kBFloat16}}) {
    CheckOp({.op = "SparseMatMul",
             .inputs = {testing::Converted(a, ta), testing::Converted(b, tb)},
             .expected = {c},
             .gradient_of = {{}}});
  }
  CheckOpError({.op = "SparseMatMul", .inputs = {a, a}});
}

}  // namespace
}  // namespace headrace
