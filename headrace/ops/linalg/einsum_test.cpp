// Einsum, Tensordot, norms, three diagonals, cross products: small answers known by hand,
// gradients, errors. Values and nodes of TensorFlow are in the golden tests.
#include "headrace/ops/linalg/einsum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/linalg/cross.h"
#include "headrace/ops/linalg/known_shapes_test.h"
#include "headrace/ops/linalg/matrix.h"
#include "headrace/ops/linalg/tridiagonal.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::CheckShapes;
using testing::FedTensor;
using ::testing::HasSubstr;
using testing::KnownShapeGradientDifference;
using testing::RandomTensor;
using Outputs = std::vector<Output>;

const Tensor kA = Tensor::Of<float>({1, 2, 3, 4}, {2, 2});
// The error of a graph over two [2, 2] matrices.
std::string ErrorOf(Output (*build)(Output a, Output b)) {
  Graph g;
  const Output a = FedTensor(g, DType::kFloat32, {2, 2}), b = FedTensor(g, DType::kFloat32, {2, 2});
  EXPECT_FALSE(build(a, b).valid());
  return std::string(g.status().message());
}

const Tensor kB = Tensor::Of<float>({0, 1, 1, 2}, {2, 2});

TEST(Einsum, AsNodesAndAsOneOpAgree) {
  struct Case {
    const char* equation;
    std::vector<Shape> shapes;
  };
  for (const Case& c :
       {Case{"ij,jk->ik", {{2, 3}, {3, 4}}}, Case{"abc,bd->acd", {{2, 3, 2}, {3, 2}}},
        Case{"...ij,...jk->...ik", {{2, 2, 3}, {2, 3, 2}}}, Case{"ij->ji", {{2, 3}}},
        Case{"ij->", {{2, 3}}}, Case{"i,j->ij", {{2}, {3}}}, Case{"ab,ab->b", {{2, 3}, {2, 3}}},
        Case{"ijk->ki", {{2, 3, 4}}}}) {
    SCOPED_TRACE(c.equation);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < c.shapes.size(); ++i)
      inputs.push_back(RandomTensor(DType::kFloat64, c.shapes[i], -1, 1, i));
    Graph g;
    testing::Feeds feeds;
    Outputs operands;
    for (const Tensor& input : inputs) {
      operands.push_back(FedTensor(g, input.dtype(), input.shape()));
      feeds[operands.back()] = input;
    }
    const Tensor expected = testing::Evaluate(Einsum(c.equation, operands), feeds);
    CheckOp({.op = "Einsum",
             .attrs = {{"equation", c.equation}},
             .inputs = inputs,
             .expected = {expected},
             .gradient_of = {{}}});
    const auto build = [&](Graph&, const Outputs& in) { return Outputs{Einsum(c.equation, in)}; };
    EXPECT_EQ(KnownShapeGradientDifference(build, inputs), "");
  }
}

TEST(Einsum, OpTakesDiagonalsAndPutsThem) {
  const auto check = [](const char* equation, std::vector<Tensor> inputs, const Tensor& expected) {
    CheckOp({.op = "Einsum",
             .attrs = {{"equation", equation}},
             .inputs = std::move(inputs),
             .expected = {expected},
             .dtypes = kLinalgTypes,
             .gradient_of = {{}}});
  };
  check("ii->i", {kA}, Tensor::Of<float>({1, 4}));
  check("ii->", {kA}, Tensor::Scalar(5.0f));
  check("i->ii", {Tensor::Of<float>({1, 2})}, Tensor::Of<float>({1, 0, 0, 2}, {2, 2}));
  check("ij,ji->", {kA, kB}, Tensor::Scalar(13.0f));
  check("ij,ij->ij", {kA, kB}, Tensor::Of<float>({0, 2, 3, 8}, {2, 2}));
  check("...,...->...", {kA, Tensor::Of<float>({1, 10})},
        Tensor::Of<float>({1, 20, 3, 40}, {2, 2}));
  check("ij,jk->ik", {Tensor(DType::kFloat32, {2, 0}), Tensor(DType::kFloat32, {0, 2})},
        Tensor::Of<float>({0, 0, 0, 0}, {2, 2}));
}

TEST(Einsum, RefusesWhatDoesNotGoTogether) {
  const auto refuse = [](const char* equation, std::vector<Tensor> inputs, const char* text) {
    CheckOpError({.op = "Einsum",
                  .attrs = {{"equation", equation}},
                  .inputs = std::move(inputs),
                  .text = text});
  };
  refuse("ij,jk->ik", {kA, RandomTensor(DType::kFloat32, {3, 2})},
         "Expected dimension 2 at axis 0 of the input shaped [3,2] but got dimension 3");
  refuse("ijk->i", {kA}, "Expected input 0 to have rank 3 but got: 2");
  refuse("...->", {kA}, "Output contains 2 broadcasting dimension(s) but no ellipsis");
  refuse("ij,jk->ik", {kA}, "Expected 2 inputs but got: 1");
  const auto error = [](const char* equation) {
    Graph g;
    const Output a = FedTensor(g, DType::kFloat32, {2, 2}),
                 b = FedTensor(g, DType::kFloat32, {2, 2});
    EXPECT_FALSE(Einsum(equation, {a, b}).valid());
    return std::string(g.status().message());
  };
  EXPECT_THAT(error("ij,j1->i"), HasSubstr("Indices have incorrect format: ij,j1->i"));
  EXPECT_THAT(error("ij->i"), HasSubstr("Got 2 arguments for equation \"ij->i\", expecting 1"));
  EXPECT_THAT(error("ii,jk->ik"),
              HasSubstr("Subscript not supported: an axis appears more than once: ii"));
  EXPECT_THAT(error("ij,jk->iz"), HasSubstr("Invalid equation: ij,jk->iz"));
  EXPECT_THAT(error("ijk,jk->i"),
              HasSubstr("operand 0 must have rank 3 for 'ijk', got shape [2,2]"));
  EXPECT_THAT(error("ij,jk->ik...."), HasSubstr("period \".\" found outside of ellipsis"));
}

TEST(Tensordot, SumsOverPairsOfAxes) {
  const auto check = [](TensordotAxes axes, const Tensor& expected) {
    Graph g;
    const Output a = FedTensor(g, DType::kFloat32, {2, 2}),
                 b = FedTensor(g, DType::kFloat32, {2, 2});
    const Tensor y = testing::Evaluate(Tensordot(a, b, axes), {{a, kA}, {b, kB}});
    EXPECT_EQ(testing::Difference(y, expected, 1e-6), "");
  };
  check(1, Tensor::Of<float>({2, 5, 4, 11}, {2, 2}));
  check({{0, 1}, {1, 0}}, Tensor::Scalar(13.0f));
  check(0, Tensor::Of<float>({0, 1, 1, 2, 0, 2, 2, 4, 0, 3, 3, 6, 0, 4, 4, 8}, {2, 2, 2, 2}));
  const auto build = [](Graph&, const Outputs& in) {
    return Outputs{Tensordot(in[0], in[1], {{1, 2}, {1, 0}})};
  };
  EXPECT_EQ(KnownShapeGradientDifference(build, {RandomTensor(DType::kFloat64, {2, 3, 4}),
                                                 RandomTensor(DType::kFloat64, {4, 3, 2})}),
            "");
  // The sizes may come in the step.
  Graph g;
  const Output a = FedTensor(g, DType::kFloat32, {-1, 2}),
               b = FedTensor(g, DType::kFloat32, {2, 2});
  const Output y = Tensordot(a, b, 1);
  EXPECT_EQ(y.shape(), (PartialShape{-1, 2}));
  EXPECT_EQ(testing::Difference(testing::Evaluate(y, {{a, kA}, {b, kB}}),
                                Tensor::Of<float>({2, 5, 4, 11}, {2, 2}), 1e-6),
            "");
  EXPECT_THAT(ErrorOf([](Output a, Output b) { return Tensordot(a, b, 3); }),
              HasSubstr("'axes' must not be larger than the ranks of the tensors"));
  EXPECT_THAT(ErrorOf([](Output a, Output b) {
                return Tensordot(a, b, {{0}, {0, 1}});
              }),
              HasSubstr("Different number of contraction axes 'a' and 'b', 1 != 2."));
  EXPECT_THAT(ErrorOf([](Output a, Output b) {
                return Tensordot(a, b, {{2}, {0}});
              }),
              HasSubstr("axis 2 is out of range for rank 2"));
}

TEST(Norm, OfVectorsAndMatrices) {
  const auto check = [](NormOptions o, const Tensor& expected) {
    CheckOp({.build = [o](Graph&, const Outputs& in) { return Outputs{Norm(in[0], o)}; },
             .inputs = {Tensor::Of<float>({3, -4, 0.5f, 12}, {2, 2})},
             .expected = {expected},
             .gradient_of = {{}}});
  };
  check({}, Tensor::Scalar(std::sqrt(169.25f)));
  check({.axis = {1}}, Tensor::Of<float>({5, std::sqrt(144.25f)}));
  check({.order = 1}, Tensor::Scalar(19.5f));
  check({.order = NormOptions::kInfinity, .axis = {0}}, Tensor::Of<float>({3, 12}));
  check({.order = NormOptions::kInfinity, .axis = {0, 1}}, Tensor::Scalar(12.5f));
  check({.order = 3, .axis = {1}}, Tensor::Of<float>({std::cbrt(91.0f), std::cbrt(1728.125f)}));
  // The largest singular value of a diagonal matrix.
  Graph g;
  const Output x = FedTensor(g, DType::kFloat32, {2, 2});
  const Output largest = Norm(x, {.order = 2, .axis = {0, -1}, .keep_dims = true});
  EXPECT_EQ(testing::Difference(
                testing::Evaluate(largest, {{x, Tensor::Of<float>({3, 0, 0, -7}, {2, 2})}}),
                Tensor::Of<float>({7}, {1, 1}), 1e-6),
            "");
  EXPECT_THAT(ErrorOf([](Output a, Output) {
                return Norm(a, {.order = 3, .axis = {0, 1}});
              }),
              HasSubstr("order of a matrix norm must be 1, 2 or infinity, got 3"));
  EXPECT_THAT(ErrorOf([](Output a, Output) { return Norm(a, {.order = -1}); }),
              HasSubstr("order of a norm must be > 0, got -1"));
}

TEST(TridiagonalSolve, UndoesTheProduct) {
  for (bool pivoting : {true, false}) {
    const Tensor b = RandomTensor(DType::kFloat64, {2, 4, 3});
    Tensor diagonals = RandomTensor(DType::kFloat64, {2, 3, 4}, -1, 1, 3);
    for (int64_t i = 0; i < 24; ++i) {
      if (i / 4 % 3 == 1) diagonals.data<double>()[i] += 3;
    }
    CheckOp({.op = "TridiagonalSolve",
             .attrs = {{"partial_pivoting", pivoting}},
             .inputs = {diagonals, b},
             .dtypes = kLinalgTypes});
    CheckShapes("TridiagonalSolve", DType::kFloat32,
                {{{3, 0}, {0, 2}}, {{0, 3, 2}, {0, 2, 1}}, {{3, 2}, {2, 0}}},
                {{"partial_pivoting", pivoting}});
  }
  // 2 x0 + x1 = 4, x0 + 3 x1 = 7
  CheckOp({.op = "TridiagonalSolve",
           .inputs = {Tensor::Of<float>({1, 99, 2, 3, 99, 1}, {3, 2}),
                      Tensor::Of<float>({4, 7}, {2, 1})},
           .expected = {Tensor::Of<float>({1, 2}, {2, 1})}});
  // Rows must change places.
  CheckOp({.op = "TridiagonalSolve",
           .inputs = {Tensor::Of<float>({1, 99, 0, 0, 99, 1}, {3, 2}),
                      Tensor::Of<float>({4, 7}, {2, 1})},
           .expected = {Tensor::Of<float>({7, 4}, {2, 1})},
           .gradient_of = {{}}});
  const Tensor zero = Tensor::Of<float>({0, 0, 0, 0, 0, 0}, {3, 2}), one(DType::kFloat32, {2, 1});
  CheckOpError({.op = "TridiagonalSolve",
                .inputs = {zero, one},
                .text = "The matrix is not invertible.",
                .at_build = false});
  CheckOpError({.op = "TridiagonalSolve",
                .attrs = {{"partial_pivoting", false}},
                .inputs = {zero, one},
                .text = "The matrix is either not invertible, or requires pivoting.",
                .at_build = false});
  CheckOpError({.op = "TridiagonalSolve",
                .inputs = {RandomTensor(DType::kFloat32, {2, 2}), one},
                .text = "Expected diagonals to be provided as a matrix with 3 rows, got 2 rows."});
  CheckOpError({.op = "TridiagonalSolve",
                .inputs = {RandomTensor(DType::kFloat32, {3, 3}), one},
                .text = "Expected the same number of left-hand sides and right-hand sides, got 3 "
                        "and 2."});
}

TEST(TridiagonalMatMul, IsAProduct) {
  CheckOp({.op = "TridiagonalMatMul",
           .inputs = {Tensor::Of<float>({1, 2, 9}, {1, 3}), Tensor::Of<float>({3, 4, 5}, {1, 3}),
                      Tensor::Of<float>({9, 1, 2}, {1, 3}), Tensor::Of<float>({1, 2, 3}, {3, 1})},
           .expected = {Tensor::Of<float>({5, 15, 19}, {3, 1})},
           .dtypes = kLinalgTypes});
  CheckShapes("TridiagonalMatMul", DType::kFloat32,
              {{{1, 0}, {1, 0}, {1, 0}, {0, 2}}, {{2, 1, 1}, {2, 1, 1}, {2, 1, 1}, {2, 1, 2}}});
  CheckOpError(
      {.op = "TridiagonalMatMul",
       .inputs = {RandomTensor(DType::kFloat32, {1, 2}), RandomTensor(DType::kFloat32, {1, 3}),
                  RandomTensor(DType::kFloat32, {1, 3}), RandomTensor(DType::kFloat32, {3, 1})},
       .text = "Invalid superdiagonal shape [1,2]"});
}

TEST(Cross, IsThePerpendicularVector) {
  CheckOp({.op = "Cross",
           .inputs = {Tensor::Of<float>({1, 0, 0, 1, 2, 3}, {2, 3}),
                      Tensor::Of<float>({0, 1, 0, 4, 5, 6}, {2, 3})},
           .expected = {Tensor::Of<float>({0, 0, 1, -3, 6, -3}, {2, 3})},
           .dtypes = DTypeSet{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
                              DType::kFloat16, DType::kBFloat16, DType::kFloat64}});
  CheckShapes("Cross", DType::kFloat32, {{{0, 3}, {0, 3}}, {{3}, {3}}});
  CheckOpError({.op = "Cross",
                .inputs = {RandomTensor(DType::kFloat32, {4}), RandomTensor(DType::kFloat32, {4})},
                .text = "Cross-products are only defined for 3-element vectors"});
  CheckOpError(
      {.op = "Cross",
       .inputs = {RandomTensor(DType::kFloat32, {3}), RandomTensor(DType::kFloat32, {2, 3})},
       .text = "Both inputs must be of same shape: [3] vs. [2,3]"});
}

}  // namespace
}  // namespace headrace
