#include "headrace/ops/linalg/solve_gradients.h"

#include "headrace/base/strings.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/linalg/cholesky.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/solve.h"
#include "headrace/ops/math/cast.h"

namespace headrace {
namespace {

using namespace matrix_grad;  // NOLINT: the vocabulary of this file

// The gradient of the matrix of a system with solution x, from that of the right-hand side.
Output OfMatrix(bool adjoint, Output x, Output grad_rhs, Location where) {
  return Neg(
      adjoint ? ProductWithAdjoint(x, grad_rhs, where) : ProductWithAdjoint(grad_rhs, x, where),
      where);
}

// Cholesky of a^H * a + l2 * 1 (first kind) or a * a^H + l2 * 1.
Output RegularizedGramian(GradContext& c, Output l2, bool first_kind) {
  const Location where = c.where();
  const Output a = c.input(0);
  const Output gramian =
      MatrixProduct(a, a, {.adjoint_a = first_kind, .adjoint_b = !first_kind}, where);
  const Output shape = ShapeOf(a, {}, where);
  const Output batch = At(shape, {SliceIndex::To(-2)}, {}, where);
  const Output smaller = At(shape, {first_kind ? -1 : -2}, {}, where);
  const Output eye =
      Eye(c.graph(), smaller, {.batch_shape = batch, .dtype = a.value_dtype()}, where);
  return Cholesky(array_grad::Add(gramian, array_grad::Mul(l2, eye, where), where), {}, where);
}

// x = (a^H * a + l2)^-1 * a^H * b.
void Overdetermined(GradContext& c, Output l2) {
  const Location where = c.where();
  const Output a = c.input(0), b = c.input(1), x = c.output(0);
  const Output chol = RegularizedGramian(c, l2, true);
  const Output z = CholeskySolve(chol, c.grad(), {}, where);
  const Output xzt = ProductWithAdjoint(x, z, where);
  const Output zx = array_grad::Add(xzt, MatrixTranspose(xzt, {}, where), where);
  const Output of_zx = Neg(Product(a, zx, where), where);
  c.Set(0, array_grad::Add(of_zx, ProductWithAdjoint(b, z, where), where));
  c.Set(1, Product(a, z, where));
}

// x = a^H * (a * a^H + l2)^-1 * b.
void Underdetermined(GradContext& c, Output l2) {
  const Location where = c.where();
  const Output a = c.input(0), b = c.input(1), grad = c.grad();
  const Output chol = RegularizedGramian(c, l2, false);
  const Output grad_b = CholeskySolve(chol, Product(a, grad, where), {}, where);
  const Output solved = CholeskySolve(chol, b, {}, where);
  const Output inner = ProductOfAdjoint(solved, a, where);
  const Output a1 = Neg(Product(grad_b, inner, where), where);
  const Output rest = array_grad::Sub(grad, ProductOfAdjoint(a, grad_b, where), where);
  const Output a2 = ProductWithAdjoint(solved, rest, where);
  c.Set(0, array_grad::Add(a1, a2, where));
  c.Set(1, grad_b);
}

}  // namespace

Status MatrixInverseGradient(GradContext& c) {
  const Location where = c.where();
  const Output inverse = c.output(0);
  const Output right = ProductWithAdjoint(c.grad(), inverse, where);
  const Output grad = Neg(ProductOfAdjoint(inverse, right, where), where);
  // Of the inverse of the adjoint: the adjoint.
  c.Set(0, c.attrs().Get<bool>("adjoint") ? Adjoint(grad, {}, where) : grad);
  return absl::OkStatus();
}

Status MatrixSolveGradient(GradContext& c) {
  const Location where = c.where();
  const bool adjoint = c.attrs().Get<bool>("adjoint");
  const Output grad_rhs = MatrixSolve(c.input(0), c.grad(), {.adjoint = !adjoint}, where);
  c.Set(0, OfMatrix(adjoint, c.output(0), grad_rhs, where));
  c.Set(1, grad_rhs);
  return absl::OkStatus();
}

Status MatrixTriangularSolveGradient(GradContext& c) {
  const Location where = c.where();
  const bool adjoint = c.attrs().Get<bool>("adjoint"), lower = c.attrs().Get<bool>("lower");
  const Output grad_rhs =
      MatrixTriangularSolve(c.input(0), c.grad(), {.lower = lower, .adjoint = !adjoint}, where);
  const Output of_matrix = OfMatrix(adjoint, c.output(0), grad_rhs, where);
  c.Set(0, MatrixBandPart(of_matrix, lower ? -1 : 0, lower ? 0 : -1, {}, where));
  c.Set(1, grad_rhs);
  return absl::OkStatus();
}

Status MatrixSolveLsGradient(GradContext& c) {
  if (!c.attrs().Get<bool>("fast")) return InvalidArgument("Gradient not defined for fast=False");
  const PartialShape& shape = c.input(0).shape();
  const int rank = shape.rank();
  if (!shape.has_rank() || shape[rank - 2] < 0 || shape[rank - 1] < 0) {
    return Unimplemented("the gradient of MatrixSolveLs needs matrices of known sizes, got shape ",
                         shape.ToString());
  }
  const Output l2 = Cast(c.input(2), c.input(0).value_dtype(), {}, c.where());
  if (shape[rank - 2] >= shape[rank - 1]) {
    Overdetermined(c, l2);
  } else {
    Underdetermined(c, l2);
  }
  return absl::OkStatus();
}

}  // namespace headrace
