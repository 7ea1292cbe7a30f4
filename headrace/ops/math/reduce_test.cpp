#include "headrace/ops/math/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Evaluate;
using testing::FromDoubles;
using testing::RandomTensor;
using testing::Reference;
using testing::ToDoubles;

constexpr DTypeSet kInts{DType::kInt8,  DType::kInt16, DType::kInt32,
                         DType::kInt64, DType::kUInt8, DType::kUInt16};

using Join = double (*)(double, double);

// Element by element in double, whatever the axes.
Reference Reducing(std::vector<int64_t> axes, bool keep_dims, double nothing, Join join,
                   bool mean = false) {
  return [=](const std::vector<Tensor>& inputs) -> std::vector<Tensor> {
    const Shape& in = inputs[0].shape();
    std::vector<bool> reduced(in.rank());
    for (int64_t axis : axes) reduced[axis < 0 ? axis + in.rank() : axis] = true;
    Shape out;
    for (int d = 0; d < in.rank(); ++d) {
      if (!reduced[d]) out.Append(in[d]);
      if (reduced[d] && keep_dims) out.Append(1);
    }
    std::vector<double> result(out.num_elements(), nothing);
    const std::vector<double> x = ToDoubles(inputs[0]);
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      int64_t rest = i, to = 0, stride = 1;
      for (int d = in.rank() - 1; d >= 0; --d) {
        if (!reduced[d]) {
          to += rest % in[d] * stride;
          stride *= in[d];
        }
        rest /= in[d];
      }
      result[to] = join(result[to], x[i]);
    }
    const double count =
        out.num_elements() == 0 ? 0 : static_cast<double>(in.num_elements()) / out.num_elements();
    for (double& value : result) value = mean ? value / count : value;
    return {FromDoubles(result, out)};
  };
}

struct ReduceCase {
  std::string op;
  double nothing;
  Join join;
  DTypeSet dtypes;
  double low = -1, high = 1;
};
const ReduceCase kCases[] = {
    {"Sum", 0, [](double a, double b) { return a + b; }, kFloatTypes},
    {"Mean", 0, [](double a, double b) { return a + b; }, kFloatTypes},
    {"Prod", 1, [](double a, double b) { return a * b; }, kFloatTypes, 0.8, 1.2},
    {"Max", -INFINITY, [](double a, double b) { return std::max(a, b); }, kFloatTypes},
    {"Min", INFINITY, [](double a, double b) { return std::min(a, b); }, kFloatTypes},
};

class Reduction : public ::testing::TestWithParam<ReduceCase> {
 protected:
  void Check(const Shape& shape, const std::vector<int64_t>& axes, bool keep_dims,
             std::vector<std::vector<Shape>> others, bool gradient = true, DTypeSet dtypes = {}) {
    const ReduceCase& c = GetParam();
    Tensor indices(DType::kInt32, {static_cast<int64_t>(axes.size())});
    std::copy(axes.begin(), axes.end(), indices.data<int32_t>());
    for (auto& shapes : others) shapes.resize(1);
    // Long sums in float32 differ from exact ones by more than an ulp of the result.
    CheckOp({.op = c.op,
             .attrs = {{"keep_dims", keep_dims}},
             .inputs = {RandomTensor(DType::kFloat32, shape, c.low, c.high), indices},
             .constant_inputs = {1},
             .reference = Reducing(axes, keep_dims, c.nothing, c.join, c.op == "Mean"),
             .tolerance = 2e-5,
             .dtypes = dtypes,
             .shapes = others,
             .gradient_of = gradient ? std::vector<int>{0} : std::vector<int>{}});
  }
};

TEST_P(Reduction, OverOneAxis) {
  Check({3, 4}, {0}, false,
        {{{100, 10}}, {{1000, 3}}, {{4000, 2000}}, {{70000, 5}}, {{1, 4}}, {{3, 1}}, {{5, 0}}},
        true, GetParam().dtypes);
  Check({3, 4}, {1}, false, {{{10, 100}}, {{100, 7}}, {{2, 100000}}, {{0, 5}}, {{1, 1}}});
  Check({3, 4}, {-1}, true, {});
}

TEST_P(Reduction, OverAllAxes) {
  Check({2, 3}, {0, 1}, false, {{{1, 1}}, {{300, 1000}}, {{1, 9}}});
  Check({5}, {0}, true, {{{8192}}, {{8193}}, {{1000003}}});
}

TEST_P(Reduction, OverScatteredAxes) {
  Check({2, 3, 4}, {0, 2}, false, {{{8, 16, 300}}, {{2, 70, 9000}}, {{40, 3, 1}}, {{1, 3, 4}}});
  Check({2, 3, 4}, {2, 0}, true, {});
  Check({2, 3, 2, 2}, {1, 3}, false, {{{4, 5, 6, 7}}, {{3, 1, 5, 9}}});
  Check({2, 3, 2, 2}, {0, 2}, false, {{{4, 5, 6, 7}}, {{64, 3, 64, 32}}});
  Check({3, 2, 4}, {1}, false, {{{3, 500, 40}}, {{200, 9, 33}}});
}

TEST_P(Reduction, OverNoAxis) {
  Check({2, 3}, {}, false, {{{0, 3}}, {Shape()}});
}

TEST_P(Reduction, OverNothing) {
  const ReduceCase& c = GetParam();
  const double nothing = c.op == "Mean" ? NAN : c.nothing;
  CheckOp({.op = c.op,
           .inputs = {Tensor(DType::kFloat32, {0, 2}), Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {FromDoubles({nothing, nothing}, {2})},
           .dtypes = kFloatTypes,
           .gradient_of = {{}}});
}

TEST_P(Reduction, TakesScalarAndInt64Axes) {
  const ReduceCase& c = GetParam();
  const Tensor x = RandomTensor(DType::kFloat32, {3, 4}, c.low, c.high);
  const Reference reference = Reducing({1}, false, c.nothing, c.join, c.op == "Mean");
  CheckOp({.op = c.op,
           .inputs = {x, Tensor::Scalar<int32_t>(1)},
           .constant_inputs = {1},
           .reference = reference});
  CheckOp({.op = c.op,
           .inputs = {x, Tensor::Of<int64_t>({-1})},
           .constant_inputs = {1},
           .reference = reference});
  CheckOp({.op = c.op,
           .inputs = {x, Tensor::Of<int32_t>({1})},
           .reference = reference,
           .static_shape = false});
}

TEST_P(Reduction, RefusesBadAxes) {
  const Tensor x(DType::kFloat32, {3, 4});
  CheckOpError({.op = GetParam().op,
                .inputs = {x, Tensor::Of<int32_t>({2})},
                .constant_inputs = {1},
                .text = "Invalid reduction dimension 2 for input with 2 dimension(s)"});
}

TEST_P(Reduction, CountsAxesStatedTwiceOnce) {
  const ReduceCase& c = GetParam();
  testing::OpCase twice{.op = c.op, .inputs = {RandomTensor(DType::kFloat64, {3, 4, 2}), {}}};
  // TensorFlow's gradient of Prod makes a permutation of the axes, and fails too.
  if (c.op == "Prod") twice.gradient_of = std::vector<int>{};
  for (const bool keep_dims : {false, true}) {
    twice.attrs = {{"keep_dims", keep_dims}};
    twice.reference = Reducing({1}, keep_dims, c.nothing, c.join, c.op == "Mean");
    twice.inputs[1] = Tensor::Of<int32_t>({1, -2, 1});
    twice.constant_inputs = {1};
    twice.static_shape = true;
    CheckOp(twice);
    twice.constant_inputs = {};
    twice.static_shape = false;
    CheckOp(twice);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Reduction, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.op; });

TEST(ReduceIntegers, MatchTensorFlow) {
  const Tensor x = Tensor::Of<int32_t>({7, -2, 2, 5, 3, 1}, {3, 2});
  const auto check = [&](const char* op, std::initializer_list<int32_t> expected) {
    CheckOp({.op = op,
             .inputs = {x, Tensor::Of<int32_t>({0})},
             .constant_inputs = {1},
             .expected = {Tensor::Of<int32_t>(expected)}});
    CheckOp({.op = op,
             .inputs = {testing::Converted(x, DType::kInt8), Tensor::Of<int64_t>({0})},
             .constant_inputs = {1},
             .expected = {testing::Converted(Tensor::Of<int32_t>(expected), DType::kInt8)}});
  };
  check("Sum", {12, 4});
  check("Mean", {4, 1});
  check("Prod", {42, -10});
  check("Max", {7, 5});
  check("Min", {2, -2});
}

TEST(ReduceIntegers, MeanOfManySmallOnesDoesNotOverflow) {
  Tensor x(DType::kInt8, {1000});
  std::ranges::fill(x.flat<int8_t>(), int8_t{100});
  CheckOp({.op = "Mean",
           .inputs = {x, Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar<int8_t>(100)}});
}

TEST(ReduceNan, MaxAndMinPassItOver) {
  const Tensor x = Tensor::Of<float>({NAN, -3, NAN, 5, NAN}), axis = Tensor::Of<int32_t>({0});
  CheckOp({.op = "Max",
           .inputs = {x, axis},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar(5.0f)},
           .gradient_of = {{}}});
  CheckOp({.op = "Min",
           .inputs = {x, axis},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar(-3.0f)},
           .gradient_of = {{}}});
  Tensor long_row = RandomTensor(DType::kFloat32, {5000});
  for (int i = 0; i < 100; ++i) long_row.data<float>()[i] = NAN;
  long_row.data<float>()[4000] = 7;
  CheckOp({.op = "Max",
           .inputs = {long_row, axis},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar(7.0f)},
           .gradient_of = {{}}});
}

TEST(ReduceSum, StaysExactOverMillions) {
  Tensor x(DType::kFloat32, {1 << 22});
  std::ranges::fill(x.flat<float>(), 0.1f);
  CheckOp({.op = "Sum",
           .inputs = {x, Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar<double>(0.1f * double(1 << 22))},
           .gradient_of = {{}}});
  Tensor y(DType::kFloat32, {1 << 19, 3});
  std::ranges::fill(y.flat<float>(), 0.1f);
  const double column = 0.1f * double(1 << 19);
  CheckOp({.op = "Sum",
           .inputs = {y, Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {FromDoubles({column, column, column}, {3})},
           .gradient_of = {{}}});
}

TEST(ReduceComplex, SumMeanProd) {
  using C = std::complex<float>;
  const Tensor x = Tensor::Of<C>({C(1, 2), C(3, -4)}), axis = Tensor::Of<int32_t>({0});
  const auto check = [&](const char* op, C y) {
    CheckOp({.op = op,
             .inputs = {x, axis},
             .constant_inputs = {1},
             .expected = {Tensor::Scalar(y)},
             .dtypes = DTypeSet(DType::kComplex128)});
  };
  check("Sum", C(4, -2));
  check("Mean", C(2, -1));
  check("Prod", C(11, 2));
}

TEST(ReduceBool, AllAndAny) {
  const Tensor x = Tensor::Of<bool>({true, false, true, true}, {2, 2});
  CheckOp({.op = "All",
           .inputs = {x, Tensor::Of<int32_t>({1})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<bool>({false, true})}});
  CheckOp({.op = "Any",
           .attrs = {{"keep_dims", true}},
           .inputs = {x, Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<bool>({true, true}, {1, 2})}});
  CheckOp({.op = "All",
           .inputs = {Tensor(DType::kBool, {0}), Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar(true)}});
  CheckOp({.op = "Any",
           .inputs = {Tensor(DType::kBool, {0}), Tensor::Of<int32_t>({0})},
           .constant_inputs = {1},
           .expected = {Tensor::Scalar(false)}});
}

TEST(ReduceBuilders, NameNodesAsTensorFlow) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, {2, 3}, {.name = "x"});
  ReduceMean(x);
  EXPECT_EQ(g.FindNode("Mean")->input(1).node->name(), "Const");
  ReduceSum(x, 1);
  EXPECT_EQ(g.FindNode("Sum")->input(1).node->name(), "Sum/reduction_indices");
  EXPECT_EQ(g.FindNode("Sum/reduction_indices")->output_shape(0), PartialShape({}));
  ReduceSum(x, {0, 1}, {.keep_dims = true, .name = "total"});
  EXPECT_EQ(g.FindNode("total")->input(1).node->name(), "total/reduction_indices");
  EXPECT_EQ(g.FindNode("total")->output_shape(0), PartialShape({1, 1}));
  EXPECT_TRUE(g.status().ok()) << g.status();
}

TEST(ReduceBuilders, ReduceTensorsOfUnknownRankToScalars) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, PartialShape(), {.name = "x"});
  const Output y = ReduceMean(x);
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_EQ(y.shape(), PartialShape(Shape()));
  EXPECT_EQ(y.node->input(1).node->name(), "range");
  EXPECT_EQ(Evaluate(y, {{x, Tensor::Of<float>({1, 2, 3, 6}, {2, 2})}}).scalar<float>(), 3);
}

TEST(ReduceLogSumExp, MatchesReferenceWithoutOverflow) {
  CheckOp({.build =
               [](Graph&, const std::vector<Output>& in) {
                 return std::vector<Output>{ReduceLogSumExp(in[0], 1)};
               },
           .inputs = {Tensor::Of<float>({1, 2, 3, 1000, 1000, -INFINITY}, {2, 3})},
           .expected = {FromDoubles({3.4076059644443806, 1000.6931471805599}, {2})},
           .gradient_of = {{}}});
  CheckOp({.build =
               [](Graph&, const std::vector<Output>& in) {
                 return std::vector<Output>{ReduceLogSumExp(in[0])};
               },
           .inputs = {RandomTensor(DType::kFloat32, {2, 3})},
           .reference = [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
             double sum = 0;
             for (double x : ToDoubles(in[0])) sum += std::exp(x);
             return {Tensor::Scalar(std::log(sum))};
           }});
}

}  // namespace
}  // namespace headrace
