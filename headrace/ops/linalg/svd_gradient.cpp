#include "headrace/ops/linalg/svd_gradient.h"

#include <cstdlib>
#include <utility>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/svd.h"

namespace headrace {
namespace {

using array_grad::Add;
using array_grad::Mul;
using array_grad::Sub;
using namespace matrix_grad;  // NOLINT: the vocabulary of this file

// Columns [begin, end) of matrices.
Output Columns(Output x, SliceIndex columns, Location where) {
  return At(x, {SliceIndex::Rest(), SliceIndex::All(), std::move(columns)}, {}, where);
}

// 1 / (s_j^2 - s_i^2) off the diagonal, 0 on it. The ones that are added keep infinity out of the
// diagonal, which would spoil gradients of this gradient.
Output InverseGaps(GradContext& c, Output s, Output s2) {
  const Location where = c.where();
  const Output shape = ShapeOf(s, {}, where);
  const Output last = At(shape, {-1}, {}, where);
  const Output batch = At(shape, {SliceIndex::To(-1)}, {}, where);
  const Output eye = Eye(c.graph(), last, {.batch_shape = batch, .dtype = s.value_dtype()}, where);
  const Output across = ExpandDims(s2, -2, {}, where), down = ExpandDims(s2, -1, {}, where);
  const Output gaps = Add(Sub(across, down, where), eye, where);
  const Output inverse = Reciprocal(gaps, {}, where);
  return SetDiag(inverse, ZerosLike(s, {}, where), where);
}

struct Factors {
  Output s, u, v, grad_s_mat, grad_u, grad_v;
  int64_t m = 0, n = 0;  // m <= n
};

// The gradient of a matrix that is not taller than wide.
Output OfWide(GradContext& c, const Factors& f, bool full) {
  const Location where = c.where();
  const Output s_mat = DiagOf(f.s, where);
  const Output s2 = Square(f.s, {}, where);
  const Output gaps = InverseGaps(c, f.s, s2);
  const Output s_inv_mat = DiagOf(Reciprocal(f.s, {}, where), where);
  const Output v1 = Columns(f.v, SliceIndex::To(f.m), where);
  const Output grad_v1 = Columns(f.grad_v, SliceIndex::To(f.m), where);
  const Output u_gu = ProductOfAdjoint(f.u, f.grad_u, where);
  const Output v_gv = ProductOfAdjoint(v1, grad_v1, where);
  const Output f_u = Mul(gaps, u_gu, where), f_v = Mul(gaps, v_gv, where);
  const Output of_u = Product(Add(f_u, Adjoint(f_u, {}, where), where), s_mat, where);
  const Output with_u = Add(f.grad_s_mat, of_u, where);
  const Output of_v = Product(s_mat, Add(f_v, Adjoint(f_v, {}, where), where), where);
  const Output inner = ProductWithAdjoint(Add(with_u, of_v, where), v1, where);
  const Output term1 = Product(f.u, inner, where);
  if (f.m == f.n) return term1;
  const Output gv1t = MatrixTranspose(grad_v1, {}, where);
  const Output gv1t_v1 = Product(gv1t, v1, where);
  Output rest = Sub(gv1t, ProductWithAdjoint(gv1t_v1, v1, where), where);
  if (full) {
    const Output v2 = Columns(f.v, SliceIndex::Range(f.m, f.n), where);
    const Output grad_v2 = Columns(f.grad_v, SliceIndex::Range(f.m, f.n), where);
    const Output v1t_gv2 = ProductOfAdjoint(v1, grad_v2, where);
    rest = Sub(rest, ProductWithAdjoint(v1t_gv2, v2, where), where);
  }
  const Output u_s_inv = Product(f.u, s_inv_mat, where);
  return Add(term1, Product(u_s_inv, rest, where), where);
}

}  // namespace

Status SvdGradient(GradContext& c) {
  const Location where = c.where();
  const Output a = c.input(0);
  const Output grad_s = c.grad(0), grad_u = c.grad(1), grad_v = c.grad(2);
  const Output grad_s_mat = DiagOf(grad_s, where);
  if (!c.attrs().Get<bool>("compute_uv")) {
    const SvdOutputs svd = Svd(a, {}, where);
    c.Set(0, Product(svd.u, ProductWithAdjoint(grad_s_mat, svd.v, where), where));
    return absl::OkStatus();
  }
  if (IsComplex(a.value_dtype())) {
    return Unimplemented("SVD gradient is not implemented for complex types and compute_uv=True.");
  }
  const PartialShape& shape = a.shape();
  const int rank = shape.rank();
  if (!shape.has_rank() || shape[rank - 2] < 0 || shape[rank - 1] < 0) {
    return Unimplemented(
        "SVD gradient has not been implemented for input with unknown inner matrix shape.");
  }
  const bool full = c.attrs().Get<bool>("full_matrices");
  Factors f{c.output(0), c.output(1), c.output(2),     grad_s_mat,
            grad_u,      grad_v,      shape[rank - 2], shape[rank - 1]};
  // Of a taller matrix: by its adjoint.
  const bool use_adjoint = f.m > f.n;
  if (use_adjoint) {
    std::swap(f.m, f.n);
    std::swap(f.u, f.v);
    std::swap(f.grad_u, f.grad_v);
  }
  if (full && std::abs(f.m - f.n) > 1) {
    return Unimplemented(
        "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True");
  }
  const ControlDependencies after(c.graph(), {grad_s, grad_u, grad_v});
  const Output grad = OfWide(c, f, full);
  c.Set(0, use_adjoint ? MatrixTranspose(grad, {}, where) : grad);
  return absl::OkStatus();
}

}  // namespace headrace
