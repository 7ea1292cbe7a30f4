// Shapes of batches of matrices `[..., m, n]`, for shape functions.
#pragma once

#include "headrace/graph/shape_context.h"

namespace headrace {

// A batch of matrices: the dimensions before the last two (of unknown rank if the input is), and
// those two.
struct MatrixBatch {
  PartialShape batch;
  int64_t rows = PartialShape::kUnknown;
  int64_t cols = PartialShape::kUnknown;

  // batch + dims; unknown where the batch is.
  PartialShape With(std::initializer_list<int64_t> dims) const;
};

// Errors: InvalidArgument for rank < 2.
StatusOr<MatrixBatch> MatricesOf(const ShapeContext& c, int input);
// Errors too: "input 0 ('input') must hold square matrices, got shape [2,3]". Unknown rows and
// columns follow from each other.
StatusOr<MatrixBatch> SquareMatricesOf(const ShapeContext& c, int input);
// What both inputs know of their batch dimensions. Errors: "batch dimensions of ... must be equal".
StatusOr<PartialShape> CommonBatch(const PartialShape& a, const PartialShape& b);

// min(a, b) where it is known.
int64_t KnownMin(int64_t a, int64_t b);
// a where it is known, else b.
inline int64_t KnownOf(int64_t a, int64_t b) {
  return a >= 0 ? a : b;
}

// Shape function: output 0 like input 0, which holds square matrices.
Status SquareMatrixShape(ShapeContext& c);
// Output 0: a number for each square matrix; output 1, if there is one, too.
Status NumberOfSquareMatrixShape(ShapeContext& c);

}  // namespace headrace
