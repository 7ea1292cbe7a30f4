#include "headrace/ops/linalg/solve.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/solve_gradients.h"
#include "headrace/ops/linalg/solve_kernels.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status CheckRows(int64_t of_matrix, int64_t of_rhs, const ShapeContext& c) {
  if (of_matrix < 0 || of_rhs < 0 || of_matrix == of_rhs) return absl::OkStatus();
  return InvalidArgument("Input matrix and rhs are incompatible: shapes ", c.input(0).ToString(),
                         " and ", c.input(1).ToString());
}

Status SolveShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(MatrixBatch a, SquareMatricesOf(c, 0));
  HR_ASSIGN_OR_RETURN(const MatrixBatch rhs, MatricesOf(c, 1));
  HR_RETURN_IF_ERROR(CheckRows(a.rows, rhs.rows, c));
  HR_ASSIGN_OR_RETURN(a.batch, CommonBatch(a.batch, rhs.batch));
  return c.SetOutput(0, a.With({KnownOf(a.rows, rhs.rows), rhs.cols}));
}

Status SolveLsShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(MatrixBatch a, MatricesOf(c, 0));
  HR_ASSIGN_OR_RETURN(const MatrixBatch rhs, MatricesOf(c, 1));
  HR_RETURN_IF_ERROR(c.CheckScalar(2));
  HR_RETURN_IF_ERROR(CheckRows(a.rows, rhs.rows, c));
  HR_ASSIGN_OR_RETURN(a.batch, CommonBatch(a.batch, rhs.batch));
  return c.SetOutput(0, a.With({a.cols, rhs.cols}));
}

OpDef& DefineInverse(OpRegistry& ops, std::string_view name, DTypeSet attr_types,
                     DTypeSet cpu_types) {
  return ops.Define(name)
      .Input("input", "T")
      .Output("output", "T")
      .Attr("adjoint", false)
      .TypeAttr("T", attr_types)
      .Shape(SquareMatrixShape)
      .Gradient(MatrixInverseGradient)
      .Cpu({.types = {{"T", cpu_types}}, .make = MakeMatrixInverseCpu});
}

OpDef& DefineSolver(OpRegistry& ops, std::string_view name, DTypeSet attr_types) {
  return ops.Define(name)
      .Input("matrix", "T")
      .Input("rhs", "T")
      .Output("output", "T")
      .Attr("adjoint", false)
      .TypeAttr("T", attr_types)
      .Shape(SolveShape)
      .Gradient(MatrixSolveGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeMatrixSolveCpu});
}

OpDef& DefineTriangular(OpRegistry& ops, std::string_view name, DTypeSet attr_types) {
  return ops.Define(name)
      .Input("matrix", "T")
      .Input("rhs", "T")
      .Output("output", "T")
      .Attr("lower", true)
      .Attr("adjoint", false)
      .TypeAttr("T", attr_types)
      .Shape(SolveShape)
      .Gradient(MatrixTriangularSolveGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeMatrixTriangularSolveCpu});
}

OpDef& DefineLeastSquares(OpRegistry& ops, std::string_view name, DTypeSet attr_types) {
  return ops.Define(name)
      .Input("matrix", "T")
      .Input("rhs", "T")
      .Input("l2_regularizer", "float64")
      .Output("output", "T")
      .TypeAttr("T", attr_types)
      .Attr("fast", true)
      .Shape(SolveLsShape)
      .Gradient(MatrixSolveLsGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeMatrixSolveLsCpu});
}

}  // namespace

Output MatrixInverse(Output a, MatrixSolveOptions o, Location where) {
  return NodeBuilder("MatrixInverse", o.name, where).Input(a).Attr("adjoint", o.adjoint).Build();
}

Output MatrixSolve(Output a, Output rhs, MatrixSolveOptions o, Location where) {
  return NodeBuilder("MatrixSolve", o.name, where)
      .Input(a)
      .Input(rhs)
      .Attr("adjoint", o.adjoint)
      .Build();
}

Output MatrixTriangularSolve(Output a, Output rhs, MatrixTriangularSolveOptions o, Location where) {
  return NodeBuilder("MatrixTriangularSolve", o.name, where)
      .Input(a)
      .Input(rhs)
      .Attr("lower", o.lower)
      .Attr("adjoint", o.adjoint)
      .Build();
}

Output MatrixSolveLs(Output a, Output rhs, Output l2_regularizer, MatrixSolveLsOptions o,
                     Location where) {
  return NodeBuilder("MatrixSolveLs", o.name, where)
      .Input(a)
      .Input(rhs)
      .Input(l2_regularizer)
      .Attr("fast", o.fast)
      .Build();
}

void DefineSolve(OpRegistry& ops) {
  DefineInverse(ops, "MatrixInverse", kLinalgAttrTypes, kLinalgTypes)
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("Inverses of square matrices.");
  DefineInverse(ops, "BatchMatrixInverse", kFloat32And64, kFloat32And64)
      .Doc("MatrixInverse by its old name.");
  DefineSolver(ops, "MatrixSolve", kLinalgAttrTypes)
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("Solutions of systems of linear equations.");
  DefineSolver(ops, "BatchMatrixSolve", kFloat32And64).Doc("MatrixSolve by its old name.");
  DefineTriangular(ops, "MatrixTriangularSolve", kLinalgAttrTypes)
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("Solutions of systems with a triangular matrix.");
  DefineTriangular(ops, "BatchMatrixTriangularSolve", kFloat32And64)
      .Doc("MatrixTriangularSolve by its old name.");
  DefineLeastSquares(ops, "MatrixSolveLs", kLinalgAttrTypes).Doc("Least-squares solutions.");
  DefineLeastSquares(ops, "BatchMatrixSolveLs", kFloat32And64)
      .Doc("MatrixSolveLs by its old name.");
}

}  // namespace headrace
