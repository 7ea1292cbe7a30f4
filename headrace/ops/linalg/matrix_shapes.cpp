#include "headrace/ops/linalg/matrix_shapes.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {

PartialShape MatrixBatch::With(std::initializer_list<int64_t> dims) const {
  if (!batch.has_rank()) return PartialShape();
  PartialShape shape = batch;
  for (int64_t dim : dims) shape.Append(dim);
  return shape;
}

StatusOr<MatrixBatch> MatricesOf(const ShapeContext& c, int input) {
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRankAtLeast(input, 2));
  if (!shape.has_rank()) return MatrixBatch();
  const int rank = shape.rank();
  return MatrixBatch{.batch = PartialShape(shape.dims().first(rank - 2)),
                     .rows = shape[rank - 2],
                     .cols = shape[rank - 1]};
}

StatusOr<MatrixBatch> SquareMatricesOf(const ShapeContext& c, int input) {
  HR_ASSIGN_OR_RETURN(MatrixBatch m, MatricesOf(c, input));
  if (m.rows >= 0 && m.cols >= 0 && m.rows != m.cols) {
    return InvalidArgument("input ", input, " ('", c.node().op().InputArg(c.attrs(), input).name,
                           "') must hold square matrices, got shape ", c.input(input).ToString());
  }
  m.rows = m.cols = std::max(m.rows, m.cols);
  return m;
}

StatusOr<PartialShape> CommonBatch(const PartialShape& a, const PartialShape& b) {
  StatusOr<PartialShape> merged = a.MergedWith(b);
  if (merged.ok()) return merged;
  return InvalidArgument("batch dimensions of the inputs must be equal, got ", a.ToString(),
                         " and ", b.ToString());
}

int64_t KnownMin(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return a < 0 || b < 0 ? PartialShape::kUnknown : std::min(a, b);
}

Status SquareMatrixShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch m, SquareMatricesOf(c, 0));
  return c.SetOutput(0, m.With({m.rows, m.cols}));
}

Status NumberOfSquareMatrixShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch m, SquareMatricesOf(c, 0));
  for (int i = 0; i < c.num_outputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, m.batch));
  return absl::OkStatus();
}

}  // namespace headrace
