#include "headrace/ops/linalg/tridiagonal.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/tridiagonal_gradients.h"
#include "headrace/ops/linalg/tridiagonal_kernels.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status SolveShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch diagonals, MatricesOf(c, 0));
  HR_ASSIGN_OR_RETURN(const MatrixBatch rhs, MatricesOf(c, 1));
  if (diagonals.rows >= 0 && diagonals.rows != 3) {
    return InvalidArgument("Expected diagonals to be provided as a matrix with 3 rows, got ",
                           diagonals.rows, " rows.");
  }
  if (diagonals.cols >= 0 && rhs.rows >= 0 && diagonals.cols != rhs.rows) {
    return InvalidArgument("Expected the same number of left-hand sides and right-hand sides, got ",
                           diagonals.cols, " and ", rhs.rows, ".");
  }
  HR_ASSIGN_OR_RETURN(const PartialShape batch, CommonBatch(diagonals.batch, rhs.batch));
  return c.SetOutput(
      0, MatrixBatch{.batch = batch}.With({KnownOf(diagonals.cols, rhs.rows), rhs.cols}));
}

Status ProductShape(ShapeContext& c) {
  static constexpr const char* kNames[] = {"superdiagonal", "main diagonal", "subdiagonal"};
  HR_ASSIGN_OR_RETURN(const MatrixBatch rhs, MatricesOf(c, 3));
  PartialShape batch = rhs.batch;
  int64_t rows = rhs.rows;
  for (int i = 0; i < 3; ++i) {
    HR_ASSIGN_OR_RETURN(const MatrixBatch diagonal, MatricesOf(c, i));
    if ((diagonal.rows >= 0 && diagonal.rows != 1) ||
        (diagonal.cols >= 0 && rows >= 0 && diagonal.cols != rows)) {
      return InvalidArgument("Invalid ", kNames[i], " shape ", c.input(i).ToString(),
                             ": its last dimensions must be 1 and the rows of rhs, of shape ",
                             c.input(3).ToString());
    }
    rows = KnownOf(rows, diagonal.cols);
    HR_ASSIGN_OR_RETURN(batch, CommonBatch(batch, diagonal.batch));
  }
  return c.SetOutput(0, MatrixBatch{.batch = batch}.With({rows, rhs.cols}));
}

}  // namespace

Output TridiagonalSolve(Output diagonals, Output rhs, TridiagonalSolveOptions o, Location where) {
  return NodeBuilder("TridiagonalSolve", o.name, where)
      .Input(diagonals)
      .Input(rhs)
      .Attr("partial_pivoting", o.partial_pivoting)
      .Build();
}

Output TridiagonalMatMul(Output superdiag, Output maindiag, Output subdiag, Output rhs, OpOptions o,
                         Location where) {
  return NodeBuilder("TridiagonalMatMul", o.name, where)
      .Input(superdiag)
      .Input(maindiag)
      .Input(subdiag)
      .Input(rhs)
      .Build();
}

void DefineTridiagonal(OpRegistry& ops) {
  ops.Define("TridiagonalSolve")
      .Input("diagonals", "T")
      .Input("rhs", "T")
      .Output("output", "T")
      .Attr("partial_pivoting", true)
      .TypeAttr("T", kLinalgTypes)
      .Shape(SolveShape)
      .Gradient(TridiagonalSolveGradient)
      .Cpu({.make = MakeTridiagonalSolveCpu})
      .Gpu({})
      .Doc("Solutions of systems with three diagonals.");
  ops.Define("TridiagonalMatMul")
      .Input("superdiag", "T")
      .Input("maindiag", "T")
      .Input("subdiag", "T")
      .Input("rhs", "T")
      .Output("output", "T")
      .TypeAttr("T", kLinalgTypes)
      .Shape(ProductShape)
      .Gradient(TridiagonalMatMulGradient)
      .Cpu({.make = MakeTridiagonalMatMulCpu})
      .Gpu({})
      .Doc("Products of matrices with three diagonals.");
}

}  // namespace headrace
