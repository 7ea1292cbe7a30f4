// Inverses, systems, determinants, Cholesky: against the identities that define them. Values of
// TensorFlow are in the golden tests.
#include "headrace/ops/linalg/solve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/linalg/cholesky.h"
#include "headrace/ops/linalg/determinant.h"
#include "headrace/ops/linalg/known_shapes_test.h"
#include "headrace/ops/linalg/matrix.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::CheckShapes;
using testing::FromDoubles;
using testing::KnownShapeGradientDifference;
using testing::RandomTensor;
using testing::ToDoubles;
using Outputs = std::vector<Output>;

// Far from singular.
Tensor Strong(DType dtype, const Shape& shape, uint64_t seed = 1) {
  Tensor x = RandomTensor(DType::kFloat64, shape, -1, 1, seed);
  const int64_t n = shape[shape.rank() - 1];
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (i % (n * n) % (n + 1) == 0) x.data<double>()[i] += 3;
  }
  return testing::Converted(x, dtype);
}

Tensor Identity(const Shape& shape) {
  Tensor x = FromDoubles(std::vector<double>(shape.num_elements()), shape);
  const int64_t n = shape[shape.rank() - 1];
  for (int64_t i = 0; i < x.num_elements(); ++i)
    x.data<double>()[i] = i % (n * n) % (n + 1) == 0 ? 1 : 0;
  return x;
}

const Tensor kSingular = Tensor::Of<float>({1, 2, 2, 4}, {2, 2});

TEST(MatrixInverse, TimesTheMatrixIsTheIdentity) {
  for (bool adjoint : {false, true}) {
    CheckOp({.build =
                 [adjoint](Graph&, const Outputs& in) {
                   const Output inverse = MatrixInverse(in[0], {.adjoint = adjoint});
                   return Outputs{MatrixProduct(in[0], inverse, {.adjoint_a = adjoint})};
                 },
             .inputs = {Strong(DType::kFloat64, {2, 3, 3})},
             .expected = {Identity({2, 3, 3})},
             .dtypes = kLinalgTypes});
    CheckShapes("MatrixInverse", DType::kFloat32, {{{0, 0}}, {{1, 1}}, {{0, 2, 2}}, {{3, 0, 0}}},
                {{"adjoint", adjoint}});
  }
  CheckOpError({.op = "MatrixInverse",
                .inputs = {kSingular},
                .text = "Input is not invertible.",
                .at_build = false});
  CheckOpError({.op = "MatrixInverse",
                .inputs = {RandomTensor(DType::kFloat32, {2, 3})},
                .text = "input 0 ('input') must hold square matrices, got shape [2,3]"});
}

TEST(MatrixInverse, TheFirstErrorOfABatchIsTheNodes) {
  Tensor batch = Strong(DType::kFloat32, {64, 2, 2});
  std::fill_n(batch.data<float>() + 4 * 40, 4, 0.0f);
  CheckOpError({.op = "MatrixInverse",
                .inputs = {batch},
                .text = "Input is not invertible.",
                .at_build = false});
}

TEST(MatrixSolve, SolvesTheSystem) {
  for (bool adjoint : {false, true}) {
    const Tensor b = RandomTensor(DType::kFloat64, {2, 3, 2}, -1, 1, 5);
    CheckOp({.build =
                 [adjoint](Graph&, const Outputs& in) {
                   const Output x = MatrixSolve(in[0], in[1], {.adjoint = adjoint});
                   return Outputs{MatrixProduct(in[0], x, {.adjoint_a = adjoint})};
                 },
             .inputs = {Strong(DType::kFloat64, {2, 3, 3}), b},
             .expected = {b},
             .dtypes = kLinalgTypes});
    CheckShapes("MatrixSolve", DType::kFloat32,
                {{{0, 0}, {0, 2}}, {{2, 2}, {2, 0}}, {{0, 1, 1}, {0, 1, 3}}},
                {{"adjoint", adjoint}});
  }
  CheckOpError({.op = "MatrixSolve",
                .inputs = {kSingular, RandomTensor(DType::kFloat32, {2, 1})},
                .text = "Input matrix is not invertible.",
                .at_build = false});
  CheckOpError({.op = "MatrixSolve",
                .inputs = {kSingular, RandomTensor(DType::kFloat32, {3, 1})},
                .text = "Input matrix and rhs are incompatible"});
  CheckOpError({.op = "MatrixSolve",
                .inputs = {RandomTensor(DType::kFloat32, {2, 2, 2}),
                           RandomTensor(DType::kFloat32, {3, 2, 1})},
                .text = "batch dimensions of the inputs must be equal"});
}

TEST(MatrixTriangularSolve, ReadsOneTriangle) {
  const Tensor b = Tensor::Of<float>({2, 4}, {2, 1});
  const Tensor a = Tensor::Of<float>({2, 5, 1, 4}, {2, 2});
  const auto check = [&](bool lower, bool adjoint, float x0, float x1) {
    CheckOp({.op = "MatrixTriangularSolve",
             .attrs = {{"lower", lower}, {"adjoint", adjoint}},
             .inputs = {a, b},
             .expected = {Tensor::Of<float>({x0, x1}, {2, 1})},
             .dtypes = kLinalgTypes});
  };
  CheckShapes("MatrixTriangularSolve", DType::kFloat32,
              {{{0, 0}, {0, 2}}, {{2, 2}, {2, 0}}, {{0, 1, 1}, {0, 1, 3}}});
  check(true, false, 1, 0.75f);
  check(true, true, 0.5f, 1);
  check(false, false, -1.5f, 1);
  check(false, true, 1, -0.25f);
  CheckOpError({.op = "MatrixTriangularSolve",
                .inputs = {Tensor::Of<float>({1, 2, 3, 0}, {2, 2}), b},
                .text = "Input matrix is not invertible.",
                .at_build = false});
}

TEST(MatrixSolveLs, MakesTheRestOrthogonal) {
  const Tensor tall = RandomTensor(DType::kFloat64, {2, 4, 2}),
               wide = RandomTensor(DType::kFloat64, {2, 2, 4});
  const Tensor b4 = RandomTensor(DType::kFloat64, {2, 4, 3}, -1, 1, 7),
               b2 = RandomTensor(DType::kFloat64, {2, 2, 3}, -1, 1, 8);
  for (bool fast : {true, false}) {
    CheckOp({.build =
                 [fast](Graph& g, const Outputs& in) {
                   const Output x = MatrixSolveLs(in[0], in[1], Const(g, 0.0), {.fast = fast});
                   const Output rest = MatrixProduct(in[0], x) - in[1];
                   return Outputs{MatrixProduct(in[0], rest, {.adjoint_a = true})};
                 },
             .inputs = {tall, b4},
             .expected = {FromDoubles(std::vector<double>(12), {2, 2, 3})},
             .tolerance = 1e-12,
             .gradient_of = {{}}});
    CheckOp({.build =
                 [fast](Graph& g, const Outputs& in) {
                   const Output x = MatrixSolveLs(in[0], in[1], Const(g, 0.0), {.fast = fast});
                   return Outputs{MatrixProduct(in[0], x)};
                 },
             .inputs = {wide, b2},
             .expected = {b2},
             .tolerance = 1e-12,
             .gradient_of = {{}}});
  }
  const Tensor l2 = Tensor::Scalar(0.5);
  const auto regularized = [](Graph&, const Outputs& in) {
    return Outputs{MatrixSolveLs(in[0], in[1], in[2])};
  };
  EXPECT_EQ(KnownShapeGradientDifference(regularized, {tall, b4, l2}, {}, 2), "");
  EXPECT_EQ(KnownShapeGradientDifference(regularized, {wide, b2, l2}, {}, 2), "");
  CheckOp(
      {.op = "MatrixSolveLs",
       .inputs = {RandomTensor(DType::kFloat32, {0, 2}), RandomTensor(DType::kFloat32, {0, 3}), l2},
       .expected = {Tensor::Of<float>({0, 0, 0, 0, 0, 0}, {2, 3})},
       .gradient_of = {{}}});
  const Tensor one = RandomTensor(DType::kFloat32, {2, 1});
  CheckOpError({.op = "MatrixSolveLs",
                .inputs = {kSingular, one, Tensor::Scalar(0.0)},
                .text =
                    "Input matrix was rank deficient or ill-conditioned. Try setting fast=False "
                    "or provide a larger l2_regularizer > 0.",
                .at_build = false});
  CheckOpError({.op = "MatrixSolveLs",
                .inputs = {kSingular, one, Tensor::Scalar(-1.0)},
                .text = "l2_regularizer must be >= 0.",
                .at_build = false});
}

TEST(Cholesky, ProductGivesTheMatrixBack) {
  const auto spd = [](Output x) { return MatrixProduct(x, x, {.adjoint_b = true}); };
  CheckOp({.build =
               [&](Graph&, const Outputs& in) {
                 const Output a = spd(in[0]), l = Cholesky(a);
                 return Outputs{MatrixProduct(l, l, {.adjoint_b = true}) - a};
               },
           .inputs = {Strong(DType::kFloat64, {2, 3, 3})},
           .expected = {FromDoubles(std::vector<double>(18), {2, 3, 3})},
           .tolerance = 1e-5,
           .dtypes = kLinalgTypes});
  CheckOp({.build = [&](Graph&, const Outputs& in) { return Outputs{Cholesky(spd(in[0]))}; },
           .inputs = {Strong(DType::kFloat64, {3, 3})}});
  CheckShapes("Cholesky", DType::kFloat32, {{{0, 0}}, {{0, 2, 2}}, {{2, 0, 0}}});
  CheckOp({.build =
               [&](Graph&, const Outputs& in) {
                 const Output a = spd(in[0]), x = CholeskySolve(Cholesky(a), in[1]);
                 return Outputs{MatrixProduct(a, x)};
               },
           .inputs = {Strong(DType::kFloat64, {2, 2}), Tensor::Of<double>({1, -2}, {2, 1})},
           .expected = {Tensor::Of<double>({1, -2}, {2, 1})}});
  // Only the lower triangle is read.
  CheckOp({.op = "Cholesky",
           .inputs = {Tensor::Of<float>({4, 99, 2, 5}, {2, 2})},
           .expected = {Tensor::Of<float>({2, 0, 1, 2}, {2, 2})},
           .gradient_of = {{}}});
  CheckOpError({.op = "Cholesky",
                .inputs = {Tensor::Of<float>({1, 2, 2, 1}, {2, 2})},
                .text = "Cholesky decomposition was not successful. The input might not be valid.",
                .at_build = false});
}

TEST(CholeskyGrad, IsTheGradientOfCholesky) {
  // TensorFlow's value.
  CheckOp({.op = "CholeskyGrad",
           .inputs = {Tensor::Of<float>({2, 77, 1, 3}, {2, 2}),
                      Tensor::Of<float>({1, 55, 3, 4}, {2, 2})},
           .expected = {Tensor::Of<double>({1.0 / 24, 5.0 / 12, 5.0 / 12, 2.0 / 3}, {2, 2})},
           .dtypes = kFloat32And64,
           .gradient_of = {{}}});
  CheckOpError(
      {.op = "CholeskyGrad",
       .inputs = {RandomTensor(DType::kFloat32, {2, 2}), RandomTensor(DType::kFloat32, {3, 3})},
       .text = "Inputs (L and grad) must have the same shape"});
}

TEST(MatrixDeterminant, IsKnownOfSmallMatrices) {
  const Tensor a = Tensor::Of<double>({1, 2, 3, 4, 0, 2, -1, 0.5}, {2, 2, 2});
  CheckOp({.op = "MatrixDeterminant",
           .inputs = {a},
           .expected = {Tensor::Of<double>({-2, 2})},
           .dtypes = kLinalgTypes});
  CheckShapes("MatrixDeterminant", DType::kFloat32, {{{0, 2, 2}}, {{1, 1}}, {{3, 4, 4}}});
  CheckOp({.op = "LogMatrixDeterminant",
           .inputs = {a},
           .expected = {Tensor::Of<double>({-1, 1}),
                        Tensor::Of<double>({std::log(2.0), std::log(2.0)})},
           .dtypes = kLinalgTypes});
  CheckOp({.op = "MatrixDeterminant",
           .inputs = {Tensor(DType::kFloat32, {2, 0, 0})},
           .expected = {Tensor::Of<float>({1, 1})}});
  CheckOp({.op = "LogMatrixDeterminant",
           .inputs = {Tensor(DType::kFloat32, {0, 0})},
           .expected = {Tensor::Scalar(1.0f), Tensor::Scalar(0.0f)}});
  CheckOp({.op = "LogMatrixDeterminant",
           .inputs = {kSingular},
           .expected = {Tensor::Scalar(0.0f), Tensor::Scalar(-INFINITY)},
           .gradient_of = {{}}});
  CheckOp({.op = "MatrixDeterminant",
           .inputs = {kSingular},
           .expected = {Tensor::Scalar(0.0f)},
           .gradient_of = {{}}});
}

// Gradients through complex matrices: of real functions of their parts, against differences.
TEST(ComplexMatrices, HaveGradients) {
  const auto check = [](Output (*f)(Output a)) {
    CheckOp({.build =
                 [f](Graph&, const Outputs& in) {
                   const Output y = f(Complex(in[0], in[1]));
                   return Outputs{Real(y), Imag(y)};
                 },
             .inputs = {Strong(DType::kFloat64, {3, 3}, 1),
                        RandomTensor(DType::kFloat64, {3, 3}, -0.5, 0.5, 2)}});
  };
  check([](Output a) { return MatrixInverse(a); });
  check([](Output a) { return MatrixInverse(a, {.adjoint = true}); });
  check([](Output a) { return MatrixSolve(a, a, {.adjoint = true}); });
  check([](Output a) { return MatrixTriangularSolve(a, Adjoint(a)); });
  check([](Output a) { return Cholesky(MatrixProduct(a, a, {.adjoint_b = true})); });
}

TEST(Solvers, HaveTheirOldNames) {
  const Tensor a = Tensor::Of<float>({2, 0, 0, 4}, {2, 2}), b = Tensor::Of<float>({2, 4}, {2, 1});
  const Tensor x = Tensor::Of<float>({1, 1}, {2, 1});
  CheckOp({.op = "BatchMatrixInverse",
           .inputs = {a},
           .expected = {Tensor::Of<float>({0.5f, 0, 0, 0.25f}, {2, 2})}});
  CheckOp({.op = "BatchMatrixSolve", .inputs = {a, b}, .expected = {x}});
  CheckOp({.op = "BatchMatrixTriangularSolve", .inputs = {a, b}, .expected = {x}});
  CheckOp({.op = "BatchMatrixSolveLs",
           .inputs = {a, b, Tensor::Scalar(0.0)},
           .expected = {x},
           .gradient_of = {{}}});
  CheckOp({.op = "BatchMatrixDeterminant", .inputs = {a}, .expected = {Tensor::Scalar(8.0f)}});
  CheckOp({.op = "BatchCholesky",
           .inputs = {Tensor::Of<float>({4, 0, 0, 9}, {2, 2})},
           .expected = {Tensor::Of<float>({2, 0, 0, 3}, {2, 2})},
           .gradient_of = {{}}});
  CheckOp(
      {.op = "BatchCholeskyGrad",
       .inputs = {Tensor::Of<float>({2, 0, 0, 3}, {2, 2}), Tensor::Of<float>({4, 0, 0, 6}, {2, 2})},
       .expected = {Tensor::Of<float>({1, 0, 0, 1}, {2, 2})},
       .gradient_of = {{}}});
}

}  // namespace
}  // namespace headrace
