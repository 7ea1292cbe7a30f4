#include "headrace/ops/linalg/qr.h"

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/qr_kernels.h"
#include "headrace/ops/linalg/solve.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status QrShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch a, MatricesOf(c, 0));
  const int64_t inner = c.attrs().Get<bool>("full_matrices") ? a.rows : KnownMin(a.rows, a.cols);
  HR_RETURN_IF_ERROR(c.SetOutput(0, a.With({a.rows, inner})));
  return c.SetOutput(1, a.With({inner, a.cols}));
}

// x * adjoint(inverse(r)) for upper triangular r.
Output TimesInverse(Output x, Output r, Location where) {
  const Output right = Adjoint(x, {}, where);
  return Adjoint(MatrixTriangularSolve(r, right, {.lower = false}, where), {}, where);
}

Status QrGradient(GradContext& c) {
  using namespace matrix_grad;
  const Location where = c.where();
  const Output q = c.output(0), r = c.output(1), dq = c.grad(0), dr = c.grad(1);
  if (IsComplex(q.value_dtype()))
    return Unimplemented("QrGrad not implemented for dtype: ", DTypeName(q.value_dtype()));
  const PartialShape& shape = r.shape();
  const int rank = shape.rank();
  if (!shape.has_rank() || shape[rank - 2] < 0 || shape[rank - 1] < 0)
    return Unimplemented("QrGrad not implemented with dynamic shapes.");
  if (shape[rank - 2] != shape[rank - 1]) {
    return Unimplemented(
        "QrGrad not implemented when ncols > nrows or full_matrices is true and ncols != nrows.");
  }
  const Output qdq = ProductOfAdjoint(q, dq, where);
  const Output qdq_skew = array_grad::Sub(qdq, Adjoint(qdq, {}, where), where);
  const Output rdr = ProductWithAdjoint(r, dr, where);
  const Output rdr_skew = array_grad::Sub(rdr, Adjoint(rdr, {}, where), where);
  const Output tril = LowerTriangle(array_grad::Add(qdq_skew, rdr_skew, where), where);
  const Output inner = array_grad::Add(dr, TimesInverse(tril, r, where), where);
  const Output grad_a = Product(q, inner, where);
  const Output rest = array_grad::Sub(dq, Product(q, qdq, where), where);
  const Output grad_b = TimesInverse(rest, r, where);
  c.Set(0, array_grad::Add(grad_a, grad_b, where));
  return absl::OkStatus();
}

}  // namespace

QrOutputs Qr(Output a, QrOptions o, Location where) {
  Node* node =
      NodeBuilder("Qr", o.name, where).Input(a).Attr("full_matrices", o.full_matrices).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

void DefineQr(OpRegistry& ops) {
  ops.Define("Qr")
      .Input("input", "T")
      .Output("q", "T")
      .Output("r", "T")
      .Attr("full_matrices", false)
      .TypeAttr("T", kLinalgAttrTypes)
      .Shape(QrShape)
      .Gradient(QrGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeQrCpu})
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("QR decomposition: orthonormal columns times an upper triangle.");
}

}  // namespace headrace
