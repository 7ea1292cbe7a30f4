#include "headrace/ops/math/binary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Elementwise;
using testing::RandomTensor;

constexpr DTypeSet kIeee{DType::kFloat16, DType::kFloat32, DType::kFloat64};
constexpr DTypeSet kIndex{DType::kInt32, DType::kInt64};
constexpr DTypeSet kSmall{DType::kInt8, DType::kInt16, DType::kUInt8, DType::kInt32, DType::kInt64};
constexpr DTypeSet kWide{DType::kFloat32, DType::kFloat64};

struct BinaryCase {
  const char* op;
  double (*reference)(double, double);
  DTypeSet dtypes;
  double low_x = -3, high_x = 3, low_y = -3, high_y = 3;
  bool differentiable = true;
};

const BinaryCase kCases[] = {
    {"Add", [](double x, double y) { return x + y; }, kFloatTypes},
    {"AddV2", [](double x, double y) { return x + y; }, kFloatTypes},
    {"Sub", [](double x, double y) { return x - y; }, kFloatTypes},
    {"Mul", [](double x, double y) { return x * y; }, kFloatTypes},
    {"Div", [](double x, double y) { return x / y; }, kFloatTypes, -3, 3, 1, 3},
    {"RealDiv", [](double x, double y) { return x / y; }, kFloatTypes, -3, 3, -3, -1},
    {"FloorDiv", [](double x, double y) { return std::floor(x / y); }, kWide, -9, 9, 1, 3, false},
    {"FloorMod", [](double x, double y) { return x - y * std::floor(x / y); }, kWide, 4.1, 4.4, 2.5,
     3.5},
    {"Mod", [](double x, double y) { return std::fmod(x, y); }, kWide, -9, 9, 1, 3, false},
    {"TruncateMod", [](double x, double y) { return std::fmod(x, y); }, kWide, -9, 9, 1, 3, false},
    {"DivNoNan", [](double x, double y) { return y == 0 ? 0 : x / y; }, kIeee, -3, 3, 1, 3},
    {"MulNoNan", [](double x, double y) { return y == 0 ? 0 : x * y; }, kIeee},
    {"Xdivy", [](double x, double y) { return x == 0 ? 0 : x / y; }, kIeee, 0.5, 3, 1, 3},
    {"Xlogy", [](double x, double y) { return x == 0 ? 0 : x * std::log(y); }, kIeee, 0.5, 3, 1, 3},
    {"Pow", [](double x, double y) { return std::pow(x, y); }, kIeee, 0.3, 2, -2, 2},
    {"Maximum", [](double x, double y) { return x < y ? y : x; }, kFloatTypes},
    {"Minimum", [](double x, double y) { return y < x ? y : x; }, kFloatTypes},
    {"SquaredDifference", [](double x, double y) { return (x - y) * (x - y); }, kIeee},
    {"Atan2", [](double y, double x) { return std::atan2(y, x); }, kWide, 0.2, 3, 0.2, 3},
};

class Binary : public ::testing::TestWithParam<BinaryCase> {};

TEST_P(Binary, MatchesReferenceAndBroadcasts) {
  const BinaryCase& c = GetParam();
  const auto no_gradient = std::optional<std::vector<int>>(std::vector<int>{});
  CheckOp({.op = c.op,
           .inputs = {RandomTensor(DType::kFloat32, {2, 5}, c.low_x, c.high_x, 1),
                      RandomTensor(DType::kFloat32, {5}, c.low_y, c.high_y, 2)},
           .reference = Elementwise(c.reference),
           .tolerance = 1e-6,
           .dtypes = c.dtypes,
           .shapes = {{{2, 5}, {2, 5}},
                      {{2, 1}, {1, 5}},
                      {Shape(), {4}},
                      {{4}, Shape()},
                      {Shape(), Shape()},
                      {{0, 3}, {3}},
                      {{0, 3}, {1}},
                      {{1, 1}, {1}},
                      {{3, 1, 4, 1}, {2, 1, 5}},
                      {{2, 3, 200}, {3, 1}},
                      {{3}, {5000, 3}},
                      {{100, 300}, {300}},
                      {{100, 300}, {100, 1}},
                      {{3000}, {3000}}},
           .gradient_of = c.differentiable ? std::nullopt : no_gradient});
}

TEST_P(Binary, HasGradientsForEqualShapesAndScalars) {
  const BinaryCase& c = GetParam();
  if (!c.differentiable) GTEST_SKIP() << "no gradient";
  const std::vector<std::pair<Shape, Shape>> shapes = {
      {{2, 3}, {2, 3}}, {Shape(), {3}}, {{2, 1}, {1, 3}}};
  for (const auto& [x, y] : shapes) {
    CheckOp({.op = c.op,
             .inputs = {RandomTensor(DType::kFloat32, x, c.low_x, c.high_x, 3),
                        RandomTensor(DType::kFloat32, y, c.low_y, c.high_y, 4)},
             .reference = Elementwise(c.reference),
             .tolerance = 1e-6});
  }
}

TEST_P(Binary, RefusesShapesThatDoNotBroadcast) {
  CheckOpError({.op = GetParam().op,
                .inputs = {Tensor(DType::kFloat32, {2, 3}), Tensor(DType::kFloat32, {4, 3})},
                .text = "Incompatible shapes: [2,3] vs. [4,3]"});
}

INSTANTIATE_TEST_SUITE_P(Ops, Binary, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.op; });

TEST(BinaryIntegers, MatchReference) {
  const Tensor x = Tensor::Of<int32_t>({7, -7, 7, -7, 6, 0, 100}),
               y = Tensor::Of<int32_t>({2, 2, -2, -2, 3, 5, 7});
  const auto check = [&](const char* op, std::initializer_list<int32_t> expected, DTypeSet dtypes) {
    CheckOp({.op = op,
             .inputs = {x, y},
             .expected = {Tensor::Of<int32_t>(expected)},
             .dtypes = dtypes,
             .gradient_of = {{}}});
  };
  constexpr DTypeSet kSigned{DType::kInt8, DType::kInt16, DType::kInt64};
  check("Add", {9, -5, 5, -9, 9, 5, 107}, kSigned);
  check("Sub", {5, -9, 9, -5, 3, -5, 93}, kSigned);
  check("Mul", {14, -14, -14, 14, 18, 0, 700}, DTypeSet{DType::kInt16, DType::kInt64});
  check("Div", {3, -3, -3, 3, 2, 0, 14}, DTypeSet{DType::kInt16, DType::kInt64});
  check("TruncateDiv", {3, -3, -3, 3, 2, 0, 14}, DTypeSet{DType::kInt16, DType::kInt64});
  check("FloorDiv", {3, -4, -4, 3, 2, 0, 14}, kSigned);
  check("Mod", {1, -1, 1, -1, 0, 0, 2}, DTypeSet(DType::kInt64));
  check("TruncateMod", {1, -1, 1, -1, 0, 0, 2}, DTypeSet(DType::kInt64));
  check("FloorMod", {1, 1, -1, -1, 0, 0, 2}, DTypeSet(DType::kInt64));
  check("Maximum", {7, 2, 7, -2, 6, 5, 100}, DTypeSet(DType::kInt64));
  check("Minimum", {2, -7, -2, -7, 3, 0, 7}, DTypeSet(DType::kInt64));
  check("SquaredDifference", {25, 81, 81, 25, 9, 25, 8649}, DTypeSet(DType::kInt64));
}

TEST(BinaryIntegers, WrapOnOverflow) {
  const int32_t low = std::numeric_limits<int32_t>::min(),
                high = std::numeric_limits<int32_t>::max();
  const auto check = [](const char* op, Tensor x, Tensor y, Tensor z) {
    CheckOp({.op = op, .inputs = {x, y}, .expected = {z}, .gradient_of = {{}}});
  };
  check("Add", Tensor::Of<int32_t>({high}), Tensor::Of<int32_t>({1}), Tensor::Of<int32_t>({low}));
  check("Mul", Tensor::Of<int32_t>({1 << 16, 65535}), Tensor::Of<int32_t>({1 << 16, 65537}),
        Tensor::Of<int32_t>({0, -1}));
  check("Div", Tensor::Of<int32_t>({low}), Tensor::Of<int32_t>({-1}), Tensor::Of<int32_t>({low}));
  check("FloorDiv", Tensor::Of<int32_t>({low}), Tensor::Of<int32_t>({-1}),
        Tensor::Of<int32_t>({low}));
  check("FloorMod", Tensor::Of<int32_t>({low}), Tensor::Of<int32_t>({-1}),
        Tensor::Of<int32_t>({0}));
  check("Add", Tensor::Of<uint8_t>({250}), Tensor::Of<uint8_t>({10}), Tensor::Of<uint8_t>({4}));
  check("Pow", Tensor::Of<int32_t>({-3, 10, 3}), Tensor::Of<int32_t>({3, 9, 21}),
        Tensor::Of<int32_t>({-27, 1000000000, 1870418611}));
}

TEST(BinaryIntegers, RefuseDivisionByZero) {
  for (const char* op : {"Div", "TruncateDiv", "FloorDiv", "Mod", "TruncateMod", "FloorMod"}) {
    CheckOpError({.op = op,
                  .inputs = {Tensor::Of<int32_t>({1, 2, 3}), Tensor::Of<int32_t>({1, 0, 3})},
                  .text = "Integer division by zero",
                  .at_build = false});
  }
  CheckOpError({.op = "Pow",
                .inputs = {Tensor::Of<int64_t>({1, 2}), Tensor::Of<int64_t>({1, -1})},
                .text = "Integers to negative integer powers are not allowed",
                .at_build = false});
}

TEST(BinarySpecialValues, AreTensorFlows) {
  const float nan = NAN, inf = INFINITY;
  const auto check = [](const char* op, Tensor x, Tensor y, Tensor z) {
    CheckOp({.op = op,
             .inputs = {x, y},
             .expected = {z},
             .dtypes = DTypeSet(DType::kFloat64),
             .gradient_of = {{}}});
  };
  check("Maximum", Tensor::Of<float>({nan, 0, 1}), Tensor::Of<float>({0, nan, nan}),
        Tensor::Of<float>({nan, 0, 1}));
  check("Minimum", Tensor::Of<float>({nan, 0, 1}), Tensor::Of<float>({0, nan, nan}),
        Tensor::Of<float>({nan, 0, 1}));
  check("DivNoNan", Tensor::Of<float>({1, nan, 0, 6}), Tensor::Of<float>({0, 0, 0, 3}),
        Tensor::Of<float>({0, 0, 0, 2}));
  check("MulNoNan", Tensor::Of<float>({inf, nan, 2}), Tensor::Of<float>({0, 0, 3}),
        Tensor::Of<float>({0, 0, 6}));
  check("Xlogy", Tensor::Of<float>({0, 0, 1}), Tensor::Of<float>({0, nan, 1}),
        Tensor::Of<float>({0, 0, 0}));
  check("Xdivy", Tensor::Of<float>({0, 0, 1}), Tensor::Of<float>({0, nan, 0}),
        Tensor::Of<float>({0, 0, inf}));
  check("Pow", Tensor::Of<float>({0, 0, -2, -2, 1, nan, 0}),
        Tensor::Of<float>({0, -1, 3, 0.5, nan, 0, 2}),
        Tensor::Of<float>({1, inf, -8, nan, 1, 1, 0}));
  check("Pow", Tensor::Of<float>({-3, 0, 2.5f}), Tensor::Scalar<float>(2),
        Tensor::Of<float>({9, 0, 6.25f}));
  check("Pow", Tensor::Of<float>({-4, 0, 2}), Tensor::Scalar<float>(-1),
        Tensor::Of<float>({-0.25f, inf, 0.5f}));
}

TEST(BinaryFunctions, OfTheGammaFamilyMatchKnownValues) {
  constexpr double kPi = 3.14159265358979323846;
  CheckOp({.op = "Polygamma",
           .inputs = {Tensor::Of<double>({1, 1, 2, 0, 0.5, -1}),
                      Tensor::Of<double>({1, 0.5, 1, 1, 1, 1})},
           .expected = {Tensor::Of<double>({kPi * kPi / 6, kPi * kPi / 2, -2.4041138063191886,
                                            -0.57721566490153286, NAN, NAN})},
           .dtypes = DTypeSet(DType::kFloat32),
           .gradient_of = {{}}});
  CheckOp({.op = "Polygamma",
           .inputs = {Tensor::Of<double>({1, 2}), Tensor::Of<double>({0.7, 2.5})},
           .gradient_of = {{1}}});
  CheckOp({.op = "Zeta",
           .inputs = {Tensor::Of<double>({2, 4, 3, 1, 0.5, 2, 2, 2.5}),
                      Tensor::Of<double>({1, 1, 2, 2, 2, -0.5, -3, -0.5})},
           .expected = {Tensor::Of<double>({kPi * kPi / 6, kPi * kPi * kPi * kPi / 90,
                                            0.20205690315959429, INFINITY, NAN, kPi * kPi / 2 + 4,
                                            INFINITY, NAN})},
           .dtypes = DTypeSet(DType::kFloat32),
           .gradient_of = {{}}});
  CheckOp({.op = "Zeta",
           .inputs = {Tensor::Of<double>({2, 3.5}), Tensor::Of<double>({0.7, 2.5})},
           .gradient_of = {{1}}});
}

TEST(BinaryComplex, MatchesArithmetic) {
  using C = std::complex<float>;
  const Tensor x = Tensor::Of<C>({C(1, 2), C(0, -1)}), y = Tensor::Of<C>({C(1, 1), C(2, 2)});
  const auto check = [&](const char* op, Tensor z) {
    CheckOp({.op = op, .inputs = {x, y}, .expected = {z}, .dtypes = DTypeSet(DType::kComplex128)});
  };
  check("Add", Tensor::Of<C>({C(2, 3), C(2, 1)}));
  check("Sub", Tensor::Of<C>({C(0, 1), C(-2, -3)}));
  check("Mul", Tensor::Of<C>({C(-1, 3), C(2, -2)}));
  check("RealDiv", Tensor::Of<C>({C(1.5f, 0.5f), C(-0.25f, -0.25f)}));
  check("SquaredDifference", Tensor::Of<C>({C(1, 0), C(13, 0)}));
  CheckOp({.op = "Equal", .inputs = {x, x}, .expected = {Tensor::Of<bool>({true, true})}});
}

TEST(BinaryStrings, JoinAndCompare) {
  const Tensor x = Tensor::Of<std::string>({"a", "b"}), y = Tensor::Of<std::string>({"", "c"});
  CheckOp({.op = "Add", .inputs = {x, y}, .expected = {Tensor::Of<std::string>({"a", "bc"})}});
  CheckOp({.op = "Add",
           .inputs = {x, Tensor::Scalar<std::string>("!")},
           .expected = {Tensor::Of<std::string>({"a!", "b!"})}});
  CheckOp({.op = "Equal",
           .inputs = {x, Tensor::Scalar<std::string>("b")},
           .expected = {Tensor::Of<bool>({false, true})}});
  CheckOp({.op = "NotEqual", .inputs = {x, y}, .expected = {Tensor::Of<bool>({true, true})}});
}

TEST(Comparison, MatchesReference) {
  const Tensor x = Tensor::Of<float>({1, 2, 3, NAN}), y = Tensor::Of<float>({2, 2, 2, NAN});
  const auto check = [&](const char* op, std::initializer_list<bool> expected) {
    CheckOp({.op = op,
             .inputs = {x, y},
             .expected = {Tensor::Of<bool>(expected)},
             .dtypes = kFloatTypes});
  };
  check("Equal", {false, true, false, false});
  check("NotEqual", {true, false, true, true});
  check("Less", {true, false, false, false});
  check("LessEqual", {true, true, false, false});
  check("Greater", {false, false, true, false});
  check("GreaterEqual", {false, true, true, false});
}

TEST(Comparison, TakesIntegersAndBroadcasts) {
  for (const char* op : {"Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"}) {
    const std::string name = op;
    const auto reference =
        name == "Equal"       ? Elementwise([](double x, double y) { return double(x == y); })
        : name == "NotEqual"  ? Elementwise([](double x, double y) { return double(x != y); })
        : name == "Less"      ? Elementwise([](double x, double y) { return double(x < y); })
        : name == "LessEqual" ? Elementwise([](double x, double y) { return double(x <= y); })
        : name == "Greater"   ? Elementwise([](double x, double y) { return double(x > y); })
                              : Elementwise([](double x, double y) { return double(x >= y); });
    CheckOp({.op = op,
             .inputs = {RandomTensor(DType::kInt32, {3, 4}, 0, 4, 1),
                        RandomTensor(DType::kInt32, {4}, 0, 4, 2)},
             .reference = reference,
             .dtypes = kSmall,
             .shapes = {{{3, 1}, {1, 5}}, {Shape(), {7}}, {{0}, {1}}, {{5000}, {5000}}}});
  }
}

TEST(Comparison, CanAnswerIncompatibleShapes) {
  const Tensor x(DType::kFloat32, {2}), y(DType::kFloat32, {3});
  CheckOp({.op = "Equal",
           .attrs = {{"incompatible_shape_error", false}},
           .inputs = {x, y},
           .expected = {Tensor::Scalar(false)}});
  CheckOp({.op = "NotEqual",
           .attrs = {{"incompatible_shape_error", false}},
           .inputs = {x, y},
           .expected = {Tensor::Scalar(true)}});
  CheckOpError({.op = "Equal", .inputs = {x, y}, .text = "Incompatible shapes: [2] vs. [3]"});
}

TEST(Logical, MatchesTruthTable) {
  const Tensor x = Tensor::Of<bool>({false, false, true, true}),
               y = Tensor::Of<bool>({false, true, false, true});
  CheckOp({.op = "LogicalAnd",
           .inputs = {x, y},
           .expected = {Tensor::Of<bool>({false, false, false, true})}});
  CheckOp({.op = "LogicalOr",
           .inputs = {x, y},
           .expected = {Tensor::Of<bool>({false, true, true, true})}});
  CheckOp({.op = "LogicalOr",
           .inputs = {x, Tensor::Scalar(true)},
           .expected = {Tensor::Of<bool>({true, true, true, true})}});
}

}  // namespace
}  // namespace headrace
