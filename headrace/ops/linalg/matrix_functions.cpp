#include "headrace/ops/linalg/matrix_functions.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/tile.h"
#include "headrace/ops/linalg/matrix_functions_kernels.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/solve.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

// The dimensions of `shape` but the last two.
Output BatchOf(Output shape, Location where) {
  const Output size = Sub(Size(shape, {}, where), 2, {}, where);
  return Slice(shape, {0}, IntArg::Packed({size}), {}, where);
}

Output Kronecker(Output a, Output b, Location where) {
  Graph& g = *a.graph();
  const Output a_shape = ShapeOf(a, {}, where), b_shape = ShapeOf(b, {}, where);
  const Output a_order = At(a_shape, {-1}, {}, where), b_order = At(b_shape, {-1}, {}, where);
  const Output batch = BatchOf(a_shape, where);
  const auto order = [](Output n) { return IntArg::Packed({n}); };
  const Output a_to = matrix_grad::JoinShape(
      g, {batch, order(a_order), IntArg({1}), order(a_order), IntArg({1})}, where);
  const Output b_to = matrix_grad::JoinShape(
      g, {batch, IntArg({1}), order(b_order), IntArg({1}), order(b_order)}, where);
  const Output a_spread = Reshape(a, a_to, {}, where), b_spread = Reshape(b, b_to, {}, where);
  const Output product_order = array_grad::Mul(a_order, b_order, where);
  const Output to =
      matrix_grad::JoinShape(g, {batch, order(product_order), order(product_order)}, where);
  return Reshape(array_grad::Mul(a_spread, b_spread, where), to, {}, where);
}

// With r * r = a: da = r * dr + dr * r, a Sylvester equation for dr, solved as one linear system of
// the Kronecker sum. Source: TensorFlow's gradient.
Status SquareRootGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output root = c.output(0), grad = c.grad();
  const Output shape = ShapeOf(root, {}, where);
  const Output order = At(shape, {-1}, {}, where);
  const Output batch = At(shape, {SliceIndex::Range(0, -2)}, {}, where);
  const Output count = ReduceProd(batch, {}, {}, where);
  const Output eye = Eye(g, order, {.dtype = root.value_dtype()}, where);
  const Output flat = Reshape(eye, {-1}, {}, where);
  const Output tiled = Tile(flat, IntArg::Packed({count}), {}, where);
  const Output eyes = Reshape(tiled, shape, {}, where);
  const Output turned = MatrixTranspose(root, {}, where);
  const Output k1 = Kronecker(eyes, turned, where), k2 = Kronecker(root, eyes, where);
  const Output sum = AddV2(k1, k2, {.name = "Add"}, where);
  const Output vector_batch = BatchOf(shape, where);
  const Output square = array_grad::Mul(order, order, where);
  const Output vector_shape =
      matrix_grad::JoinShape(g, {vector_batch, IntArg::Packed({square}), IntArg({1})}, where);
  const Output vector = Reshape(MatrixTranspose(grad, {}, where), vector_shape, {}, where);
  const Output solved = MatrixSolve(sum, vector, {}, where);
  c.Set(0, MatrixTranspose(Reshape(solved, shape, {}, where), {}, where));
  return absl::OkStatus();
}

OpDef& DefineOne(OpRegistry& ops, std::string_view name, DTypeSet attr_types, DTypeSet cpu_types,
                 KernelFactory make) {
  return ops.Define(name)
      .Input("input", "T")
      .Output("output", "T")
      .TypeAttr("T", attr_types)
      .Shape(SquareMatrixShape)
      .Cpu({.types = {{"T", cpu_types}}, .make = make});
}

}  // namespace

Output MatrixExponential(Output a, OpOptions o, Location where) {
  return NodeBuilder("MatrixExponential", o.name, where).Input(a).Build();
}
Output MatrixLogarithm(Output a, OpOptions o, Location where) {
  return NodeBuilder("MatrixLogarithm", o.name, where).Input(a).Build();
}
Output MatrixSquareRoot(Output a, OpOptions o, Location where) {
  return NodeBuilder("MatrixSquareRoot", o.name, where).Input(a).Build();
}

void DefineMatrixFunctions(OpRegistry& ops) {
  DefineOne(ops, "MatrixExponential", kLinalgAttrTypes, kLinalgTypes, MakeMatrixExponentialCpu)
      .Doc("The exponential of square matrices.");
  DefineOne(ops, "MatrixLogarithm", kComplexTypes, kComplexTypes, MakeMatrixLogarithmCpu)
      .Doc("The principal logarithm of square matrices.");
  DefineOne(ops, "MatrixSquareRoot", kLinalgAttrTypes, kLinalgTypes, MakeMatrixSquareRootCpu)
      .Gradient(SquareRootGradient)
      .Doc("The principal square root of square matrices.");
}

}  // namespace headrace
