#include "headrace/ops/linalg/cholesky.h"

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/linalg/cholesky_kernels.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/solve.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status CholeskyGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch l, SquareMatricesOf(c, 0));
  if (!c.input(0).IsCompatibleWith(c.input(1))) {
    return InvalidArgument("Inputs (L and grad) must have the same shape, got ",
                           c.input(0).ToString(), " and ", c.input(1).ToString());
  }
  HR_ASSIGN_OR_RETURN(const MatrixBatch grad, SquareMatricesOf(c, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape batch, CommonBatch(l.batch, grad.batch));
  const int64_t m = KnownOf(l.rows, grad.rows);
  return c.SetOutput(0, MatrixBatch{.batch = batch}.With({m, m}));
}

// inverse(l)^H * phi(l^H * grad) * inverse(l), made symmetric; phi keeps the lower triangle and
// halves the diagonal.
Status CholeskyGradient(GradContext& c) {
  using namespace matrix_grad;
  const Location where = c.where();
  const Output l = c.output(0), grad = c.grad();
  const Output rows = At(ShapeOf(l, {}, where), {-1}, {}, where);
  const Output batch = At(ShapeOf(l, {}, where), {SliceIndex::To(-2)}, {}, where);
  const Output eye = Eye(c.graph(), rows, {.batch_shape = batch, .dtype = l.value_dtype()}, where);
  const Output inverse = MatrixTriangularSolve(l, eye, {}, where);
  const Output middle =
      LowerTriangle(HalveDiagonal(ProductOfAdjoint(l, grad, where), where), where);
  const Output one_sided = Product(ProductOfAdjoint(inverse, middle, where), inverse, where);
  const Output sum = array_grad::Add(one_sided, Adjoint(one_sided, {}, where), where);
  c.Set(0, array_grad::Mul(sum, 0.5, where));
  return absl::OkStatus();
}

}  // namespace

Output Cholesky(Output a, OpOptions o, Location where) {
  return NodeBuilder("Cholesky", o.name, where).Input(a).Build();
}
Output CholeskyGrad(Output l, Output grad, OpOptions o, Location where) {
  return NodeBuilder("CholeskyGrad", o.name, where).Input(l).Input(grad).Build();
}
Output CholeskySolve(Output l, Output rhs, OpOptions o, Location where) {
  if (!l.valid()) return {};
  const NameScope scope(*l.graph(), o.name.empty() ? "cholesky_solve" : o.name);
  const Output y = MatrixTriangularSolve(l, rhs, {}, where);
  return MatrixTriangularSolve(l, y, {.adjoint = true}, where);
}

void DefineCholesky(OpRegistry& ops) {
  ops.Define("Cholesky")
      .Input("input", "T")
      .Output("output", "T")
      .TypeAttr("T", kLinalgAttrTypes)
      .Shape(SquareMatrixShape)
      .Gradient(CholeskyGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeCholeskyCpu})
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("The lower triangle l of a matrix l * adjoint(l).");
  ops.Define("CholeskyGrad")
      .Input("l", "T")
      .Input("grad", "T")
      .Output("output", "T")
      .TypeAttr("T", kIeeeFloats)
      .Shape(CholeskyGradShape)
      .Cpu({.types = {{"T", kFloat32And64}}, .make = MakeCholeskyGradCpu})
      .Doc("The gradient of Cholesky.");
  ops.Define("BatchCholesky")
      .Input("input", "T")
      .Output("output", "T")
      .TypeAttr("T", kFloat32And64)
      .Shape(SquareMatrixShape)
      .Gradient(CholeskyGradient)
      .Cpu({.make = MakeCholeskyCpu})
      .Doc("Cholesky by its old name.");
  ops.Define("BatchCholeskyGrad")
      .Input("l", "T")
      .Input("grad", "T")
      .Output("output", "T")
      .TypeAttr("T", kFloat32And64)
      .Shape(CholeskyGradShape)
      .Cpu({.make = MakeCholeskyGradCpu})
      .Doc("CholeskyGrad by its old name.");
}

}  // namespace headrace
