#include "headrace/ops/linalg/diag_gradients.h"

#include <algorithm>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

// The last two dimensions of x.
struct MatrixDims {
  int64_t rows = PartialShape::kUnknown, cols = PartialShape::kUnknown;
  bool known() const { return rows >= 0 && cols >= 0; }
};
MatrixDims DimsOf(Output x) {
  const PartialShape& shape = x.shape();
  if (!shape.has_rank() || shape.rank() < 2) return {};
  return {shape[shape.rank() - 2], shape[shape.rank() - 1]};
}

Output ZeroPadding(GradContext& c) {
  return ConstScalar(c.graph(), 0, c.grad().value_dtype(), {.name = "padding_value"}, c.where());
}

// A vector of the main diagonal's shape, made in the step.
Output DiagonalShape(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad();
  const ColocateWith with(c.graph(), *grad.node);
  const Output shape = ShapeOf(grad, {}, where), rank = Rank(grad, {}, where);
  const Output batch_rank = array_grad::Sub(rank, 2, where);
  const Output batch = Slice(shape, {0}, IntArg::Packed({batch_rank}), {}, where);
  const Output at = array_grad::Sub(rank, 2, where);
  const Output matrix = Slice(shape, IntArg::Packed({at}), {2}, {}, where);
  const Output smaller = ReduceMin(matrix, {}, {}, where);
  return matrix_grad::JoinShape(c.graph(), {batch, IntArg::Packed({smaller})}, where);
}

}  // namespace

Status DiagGradient(GradContext& c) {
  c.Set(0, DiagPart(c.grad(), {}, c.where()));
  return absl::OkStatus();
}

Status DiagPartGradient(GradContext& c) {
  c.Set(0, Diag(c.grad(), {}, c.where()));
  return absl::OkStatus();
}

Status MatrixDiagGradient(GradContext& c) {
  c.Set(0, MatrixDiagPart(c.grad(), {.name = "diag_part"}, c.where()));
  return absl::OkStatus();
}

Status MatrixDiagPartGradient(GradContext& c) {
  const MatrixDims dims = DimsOf(c.input(0));
  if (dims.known() && dims.rows == dims.cols) {
    c.Set(0, matrix_grad::DiagOf(c.grad(), c.where()));
  } else {
    const Output zeros = ZerosLike(c.input(0), {}, c.where());
    c.Set(0, matrix_grad::SetDiag(zeros, c.grad(), c.where()));
  }
  return absl::OkStatus();
}

Status MatrixSetDiagGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad();
  const DType type = grad.value_dtype();
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.input(0).shape().MergedWith(grad.shape()));
  Output zeros;
  if (shape.is_fully_known() && shape.rank() >= 2) {
    const int rank = shape.rank();
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end() - 2);
    dims.push_back(std::min(shape[rank - 2], shape[rank - 1]));
    zeros = Zeros(c.graph(), dims, type, {}, where);
  } else {
    const Output dims = DiagonalShape(c);
    zeros = Zeros(c.graph(), dims, type, {}, where);
  }
  c.Set(0, matrix_grad::SetDiag(grad, zeros, where));
  c.Set(1, MatrixDiagPart(grad, {.name = "diag_part"}, where));
  return absl::OkStatus();
}

Status MatrixBandPartGradient(GradContext& c) {
  c.Set(0, MatrixBandPart(c.grad(), c.input(1), c.input(2), {}, c.where()));
  return absl::OkStatus();
}

Status MatrixDiagV2Gradient(GradContext& c) {
  c.Set(0, MatrixDiagPartV2(c.grad(), c.input(1), ZeroPadding(c), {}, c.where()));
  return absl::OkStatus();
}

Status MatrixDiagPartV2Gradient(GradContext& c) {
  const Output zeros = ZerosLike(c.input(0), {}, c.where());
  c.Set(0, MatrixSetDiagV2(zeros, c.grad(), c.input(1), {}, c.where()));
  return absl::OkStatus();
}

Status MatrixSetDiagV2Gradient(GradContext& c) {
  const Location where = c.where();
  const Output zeros = ZerosLike(c.input(1), {}, where);
  c.Set(0, MatrixSetDiagV2(c.grad(), zeros, c.input(2), {}, where));
  c.Set(1, MatrixDiagPartV2(c.grad(), c.input(2), ZeroPadding(c), {}, where));
  return absl::OkStatus();
}

}  // namespace headrace
