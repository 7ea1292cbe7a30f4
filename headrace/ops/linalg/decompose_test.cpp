// QR, SVD, eigenvalues, LU, functions of matrices: against the identities that define them. Values
// and signs of TensorFlow are in the golden tests.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "headrace/ops/array/gather.h"
#include "headrace/ops/linalg/diag.h"
#include "headrace/ops/linalg/eig.h"
#include "headrace/ops/linalg/known_shapes_test.h"
#include "headrace/ops/linalg/lu.h"
#include "headrace/ops/linalg/matrix.h"
#include "headrace/ops/linalg/matrix_functions.h"
#include "headrace/ops/linalg/qr.h"
#include "headrace/ops/linalg/svd.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::CheckShapes;
using testing::KnownShapeGradientDifference;
using testing::RandomTensor;
using Outputs = std::vector<Output>;

// What comes back, and the identity of columns that are orthonormal.
using Rebuild = Outputs (*)(const Outputs& in);

Tensor Identity(int64_t batch, int64_t n) {
  Tensor x(DType::kFloat64, {batch, n, n});
  for (int64_t i = 0; i < x.num_elements(); ++i)
    x.data<double>()[i] = i % (n * n) % (n + 1) == 0 ? 1 : 0;
  return x;
}

Tensor Zeros(const Shape& shape) {
  return testing::FromDoubles(std::vector<double>(shape.num_elements()), shape);
}

void CheckRebuild(const Shape& shape, int64_t inner, Rebuild rebuild) {
  for (DType dtype : {DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128}) {
    const Tensor a = RandomTensor(dtype, shape);
    CheckOp({.build = [rebuild](Graph&, const Outputs& in) { return rebuild(in); },
             .inputs = {a},
             .expected = {a, Identity(shape[0], inner)},
             .tolerance = dtype == DType::kFloat32 || dtype == DType::kComplex64 ? 4e-6 : 1e-13,
             .gradient_of = {{}}});
  }
}

TEST(Qr, ProductGivesTheMatrixBack) {
  const Rebuild thin = [](const Outputs& in) {
    const QrOutputs qr = Qr(in[0]);
    return Outputs{MatrixProduct(qr.q, qr.r), MatrixProduct(qr.q, qr.q, {.adjoint_a = true}),
                   qr.r - MatrixBandPart(qr.r, 0, -1)};
  };
  const Rebuild full = [](const Outputs& in) {
    const QrOutputs qr = Qr(in[0], {.full_matrices = true});
    return Outputs{MatrixProduct(qr.q, qr.r), MatrixProduct(qr.q, qr.q, {.adjoint_a = true})};
  };
  CheckRebuild({2, 4, 3}, 3, thin);
  CheckRebuild({2, 3, 4}, 3, thin);
  CheckRebuild({2, 4, 3}, 4, full);
  CheckShapes("Qr", DType::kFloat32, {{{0, 3}}, {{3, 0}}, {{0, 0}}, {{0, 2, 2}}, {{1, 1}}});
  const auto build = [](Graph&, const Outputs& in) {
    const QrOutputs qr = Qr(in[0]);
    return Outputs{qr.q, qr.r};
  };
  for (const Shape& shape : {Shape{3, 2}, Shape{3, 3}, Shape{2, 4, 2}})
    EXPECT_EQ(KnownShapeGradientDifference(build, {RandomTensor(DType::kFloat64, shape)}), "");
  CheckOp({.op = "Qr",
           .attrs = {{"full_matrices", true}},
           .inputs = {Tensor(DType::kFloat32, {2, 0})},
           .expected = {Tensor::Of<float>({1, 0, 0, 1}, {2, 2}), Tensor(DType::kFloat32, {2, 0})},
           .gradient_of = {{}}});
}

TEST(Svd, ProductGivesTheMatrixBack) {
  const Rebuild thin = [](const Outputs& in) {
    const SvdOutputs svd = Svd(in[0]);
    return Outputs{
        MatrixProduct(MatrixProduct(svd.u, MatrixDiag(svd.s)), svd.v, {.adjoint_b = true}),
        MatrixProduct(svd.u, svd.u, {.adjoint_a = true})};
  };
  const Rebuild full = [](const Outputs& in) {
    const SvdOutputs svd = Svd(in[0], {.full_matrices = true});
    const Output s = MatrixProduct(svd.u, MatrixProduct(in[0], svd.v), {.adjoint_a = true});
    return Outputs{MatrixProduct(MatrixProduct(svd.u, s), svd.v, {.adjoint_b = true}),
                   MatrixProduct(svd.v, svd.v, {.adjoint_a = true})};
  };
  CheckRebuild({2, 4, 3}, 3, thin);
  CheckRebuild({2, 3, 5}, 3, thin);
  CheckRebuild({2, 2, 3}, 3, full);
}

TEST(Svd, HasGradients) {
  for (const Shape& shape : {Shape{3, 2}, Shape{2, 3}, Shape{2, 2}, Shape{2, 3, 2}}) {
    SCOPED_TRACE(shape.ToString());
    const std::vector<Tensor> a = {RandomTensor(DType::kFloat64, shape, 0, 2, 3)};
    const auto thin = [](Graph&, const Outputs& in) {
      const SvdOutputs svd = Svd(in[0]);
      return Outputs{svd.s, svd.u, svd.v};
    };
    const auto full = [](Graph&, const Outputs& in) {
      const SvdOutputs svd = Svd(in[0], {.full_matrices = true});
      return Outputs{svd.s, svd.u, svd.v};
    };
    const auto values = [](Graph&, const Outputs& in) {
      return Outputs{Svd(in[0], {.compute_uv = false}).s};
    };
    EXPECT_EQ(KnownShapeGradientDifference(thin, a, {.tolerance = 1e-4}), "");
    EXPECT_EQ(KnownShapeGradientDifference(full, a, {.order = 1, .tolerance = 1e-4}), "");
    EXPECT_EQ(KnownShapeGradientDifference(values, a, {.tolerance = 1e-4}), "");
  }
}

TEST(Svd, OfEmptyAndOfNan) {
  CheckOp({.op = "Svd",
           .attrs = {{"full_matrices", true}},
           .inputs = {Tensor(DType::kFloat32, {2, 0})},
           .expected = {Tensor(DType::kFloat32, Shape{0}), Tensor::Of<float>({1, 0, 0, 1}, {2, 2}),
                        Tensor(DType::kFloat32, {0, 0})},
           .gradient_of = {{}}});
  CheckOp({.op = "Svd",
           .attrs = {{"compute_uv", false}},
           .inputs = {Tensor::Of<float>({1, NAN, 0, 2}, {2, 2})},
           .expected = {Tensor::Of<float>({NAN, NAN}), Tensor(DType::kFloat32, Shape{0})},
           .gradient_of = {{}}});
}

TEST(SelfAdjointEig, ProductGivesTheMatrixBack) {
  for (DType dtype : {DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128}) {
    CheckOp({.build =
                 [](Graph&, const Outputs& in) {
                   const Output a = in[0] + Adjoint(in[0]);
                   const SelfAdjointEigOutputs eig = SelfAdjointEig(a);
                   const Output back = MatrixProduct(MatrixProduct(eig.v, MatrixDiag(eig.e)), eig.v,
                                                     {.adjoint_b = true});
                   const Output alone = SelfAdjointEig(a, {.compute_v = false}).e;
                   return Outputs{back - a, alone - eig.e};
                 },
             .inputs = {RandomTensor(dtype, {2, 3, 3})},
             .expected = {Zeros({2, 3, 3}), Zeros({2, 3})},
             .tolerance = 5e-6,
             .gradient_of = {{}}});
  }
  CheckOp({.op = "SelfAdjointEigV2",
           .inputs = {RandomTensor(DType::kFloat64, {3, 3})},
           .second_order = false});
  CheckShapes("SelfAdjointEigV2", DType::kFloat32, {{{0, 0}}, {{1, 1}}, {{0, 2, 2}}});
  CheckOp({.op = "SelfAdjointEigV2",
           .attrs = {{"compute_v", false}},
           .inputs = {RandomTensor(DType::kFloat64, {2, 3, 3})},
           .second_order = false});
  CheckOp({.op = "SelfAdjointEig",
           .inputs = {Tensor::Of<float>({2, 0, 0, 1}, {2, 2})},
           .expected = {Tensor::Of<float>({1, 2, 0, 1, 1, 0}, {3, 2})},
           .gradient_of = {{}}});
  CheckOpError({.op = "SelfAdjointEigV2",
                .inputs = {Tensor::Of<float>({1, NAN, NAN, 2}, {2, 2})},
                .text = "Self-adjoint eigen decomposition was not successful. The input might not "
                        "be valid.",
                .at_build = false});
}

TEST(Lu, RowsInOrderGiveTheMatrixBack) {
  for (DType index : {DType::kInt32, DType::kInt64}) {
    CheckOp({.op = "Lu",
             .attrs = {{"output_idx_type", index}},
             .inputs = {Tensor::Of<double>({1, 2, 3, 4}, {2, 2})},
             .expected = {Tensor::Of<double>({3, 4, 1.0 / 3, 2.0 / 3}, {2, 2}),
                          Tensor::Of<int32_t>({1, 0})},
             .dtypes = kLinalgTypes,
             .gradient_of = {{}}});
    CheckShapes("Lu", DType::kFloat32, {{{0, 0}}, {{1, 1}}, {{0, 2, 2}}},
                {{"output_idx_type", index}});
  }
  const Tensor a = RandomTensor(DType::kFloat64, {4, 4});
  CheckOp({.build =
               [](Graph& g, const Outputs& in) {
                 const LuOutputs lu = Lu(in[0]);
                 const Output u = MatrixBandPart(lu.lu, 0, -1);
                 const Output l = lu.lu - u + Eye(g, 4, {.dtype = DType::kFloat64});
                 return Outputs{MatrixProduct(l, u) - Gather(in[0], lu.p)};
               },
           .inputs = {a},
           .expected = {Zeros({4, 4})},
           .gradient_of = {{}}});
  CheckOpError({.op = "Lu",
                .inputs = {Tensor::Of<float>({1, 2, 2, 4}, {2, 2})},
                .text = "Input is not invertible.",
                .at_build = false});
}

TEST(MatrixFunctions, OfDiagonalsAndRotations) {
  const double e = std::numbers::e;
  CheckOp({.op = "MatrixExponential",
           .inputs = {Tensor::Of<double>({1, 0, 0, -1}, {2, 2})},
           .expected = {Tensor::Of<double>({e, 0, 0, 1 / e}, {2, 2})},
           .dtypes = kLinalgTypes,
           .gradient_of = {{}}});
  CheckShapes("MatrixExponential", DType::kFloat32, {{{0, 0}}, {{0, 2, 2}}});
  CheckShapes("MatrixSquareRoot", DType::kFloat32, {{{0, 0}}, {{0, 2, 2}}});
  CheckOp({.op = "MatrixExponential",
           .inputs = {Tensor::Of<double>({0, 1, -1, 0}, {2, 2})},
           .expected = {Tensor::Of<double>(
               {std::cos(1.0), std::sin(1.0), -std::sin(1.0), std::cos(1.0)}, {2, 2})},
           .gradient_of = {{}}});
  using C = std::complex<double>;
  CheckOp({.op = "MatrixLogarithm",
           .inputs = {Tensor::Of<C>({C(0), C(1), C(-1), C(0)}, {2, 2})},
           .expected = {Tensor::Of<C>(
               {C(0), C(std::numbers::pi / 2), C(-std::numbers::pi / 2), C(0)}, {2, 2})},
           .dtypes = kComplexTypes});
  CheckOp({.build =
               [](Graph&, const Outputs& in) {
                 const Output a = MatrixProduct(in[0], in[0], {.adjoint_b = true});
                 const Output root = MatrixSquareRoot(a);
                 return Outputs{MatrixProduct(root, root) - a};
               },
           .inputs = {RandomTensor(DType::kFloat64, {2, 2, 2}, 1, 2)},
           .expected = {Zeros({2, 2, 2})},
           .tolerance = 1e-12,
           .gradient_of = {{}}});
  CheckOp({.op = "MatrixSquareRoot",
           .inputs = {Tensor::Of<double>({5, 2, 1, 4}, {2, 2})},
           .gradient_tolerance = 1e-4});
  CheckOp({.op = "MatrixSquareRoot",
           .inputs = {Tensor::Of<float>({-1, 0, 0, -4}, {2, 2})},
           .expected = {Tensor::Of<float>({NAN, NAN, NAN, NAN}, {2, 2})},
           .gradient_of = {{}}});
}

}  // namespace
}  // namespace headrace
