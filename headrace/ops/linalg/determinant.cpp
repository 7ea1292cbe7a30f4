#include "headrace/ops/linalg/determinant.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/linalg/determinant_kernels.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/solve.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status DeterminantGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad(), determinant = c.output(0);
  const Output inverse = MatrixInverse(c.input(0), {.adjoint = true}, where);
  const Output product = array_grad::Mul(grad, determinant, where);
  const Output shape =
      matrix_grad::JoinShape(c.graph(), {ShapeOf(determinant, {}, where), IntArg({1, 1})}, where);
  c.Set(0, array_grad::Mul(Reshape(product, shape, {}, where), inverse, where));
  return absl::OkStatus();
}

// The sign is constant where it can be differentiated.
Status LogDeterminantGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad(1);
  const Output inverse = MatrixInverse(c.input(0), {.adjoint = true}, where);
  const Output shape =
      matrix_grad::JoinShape(c.graph(), {ShapeOf(c.output(1), {}, where), IntArg({1, 1})}, where);
  c.Set(0, array_grad::Mul(Reshape(grad, shape, {}, where), inverse, where));
  return absl::OkStatus();
}

}  // namespace

Output MatrixDeterminant(Output a, OpOptions o, Location where) {
  return NodeBuilder("MatrixDeterminant", o.name, where).Input(a).Build();
}

LogMatrixDeterminantOutputs LogMatrixDeterminant(Output a, OpOptions o, Location where) {
  Node* node = NodeBuilder("LogMatrixDeterminant", o.name, where).Input(a).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

void DefineDeterminant(OpRegistry& ops) {
  ops.Define("MatrixDeterminant")
      .Input("input", "T")
      .Output("output", "T")
      .TypeAttr("T", kLinalgAttrTypes)
      .Shape(NumberOfSquareMatrixShape)
      .Gradient(DeterminantGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeMatrixDeterminantCpu})
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("Determinants of square matrices.");
  ops.Define("LogMatrixDeterminant")
      .Input("input", "T")
      .Output("sign", "T")
      .Output("log_abs_determinant", "T")
      .TypeAttr("T", kLinalgAttrTypes)
      .Shape(NumberOfSquareMatrixShape)
      .Gradient(LogDeterminantGradient)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeLogMatrixDeterminantCpu})
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("Sign and logarithm of the absolute value of determinants.");
  ops.Define("BatchMatrixDeterminant")
      .Input("input", "T")
      .Output("output", "T")
      .TypeAttr("T", kLinalgTypes)
      .Shape(NumberOfSquareMatrixShape)
      .Gradient(DeterminantGradient)
      .Cpu({.make = MakeMatrixDeterminantCpu})
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("MatrixDeterminant by its old name.");
}

}  // namespace headrace
