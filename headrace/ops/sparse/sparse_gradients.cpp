#include "headrace/ops/sparse/sparse_gradients.h"

#include "headrace/base/strings.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/reduce_gradients.h"
#include "headrace/ops/math/unary.h"
#include "headrace/ops/sparse/sparse_math.h"

namespace headrace {
namespace {

Output FloorDivided(Output a, Output b, Location where) {
  return FloorDiv(a, b, {.name = "floordiv"}, where);
}

// Where each entry reads the dense operand, what it reads there, and the dense operand's shape.
struct CwiseParts {
  Output scaled_indices, dense, dense_shape;
};

// The dense operand broadcasts to the sparse one's shape.
CwiseParts PartsOf(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output indices = c.input(0), shape = c.input(2), y = c.input(3);
  const Output y_shape = Cast(ShapeOf(y, {}, where), DType::kInt64, {}, where);
  const Output rank = Size(shape, {}, where), y_rank = Size(y_shape, {}, where);
  const Output added = ExpandDims(array_grad::Sub(rank, y_rank, where), 0, {}, where);
  const Output ones = Ones(g, added, DType::kInt64, {}, where);
  const Output augmented = Concat({ones, y_shape}, 0, {}, where);
  const Output scaling = FloorDivided(shape, augmented, where);
  Output scaled = FloorDivided(indices, scaling, where);
  Output begin;
  {
    const OpScope scope(g, "", "concat");
    const Output zero = Const(g, {0}, {.name = "values_0"}, where);
    const Output axis = Const(g, 0, {.name = "axis"}, where);
    begin = NodeBuilder(g, "ConcatV2", scope.op_name(), where)
                .Input(zero)
                .Input(added)
                .Input(axis)
                .Build();
  }
  scaled = Slice(scaled, begin, {-1, -1}, {}, where);
  return {scaled, GatherNd(y, scaled, {}, where), y_shape};
}

Status CwiseGradient(GradContext& c, bool is_mul) {
  const Location where = c.where();
  const CwiseParts parts = PartsOf(c);
  Output dx, dy_values;
  if (is_mul) {
    dx = array_grad::Mul(c.grad(), parts.dense, where);
    dy_values = array_grad::Mul(c.grad(), c.input(1), where);
  } else {
    dx = array_grad::Div(c.grad(), parts.dense, where);
    const Output negative = Neg(c.input(1), {}, where);
    const Output square = Square(parts.dense, {}, where);
    dy_values = array_grad::Mul(c.grad(), array_grad::Div(negative, square, where), where);
  }
  c.Set(1, dx);
  const Output zeros = ZerosLike(c.input(3), {}, where);
  c.Set(3, SparseTensorDenseAdd({parts.scaled_indices, dy_values, parts.dense_shape}, zeros, {},
                                where));
  return absl::OkStatus();
}

}  // namespace

Status SparseAddGradient(GradContext& c) {
  const SparseAddGrads grads =
      SparseAddGrad(c.grad(1), c.input(0), c.input(3), c.output(0), {}, c.where());
  c.Set(1, grads.a);
  c.Set(4, grads.b);
  return absl::OkStatus();
}

Status SparseTensorDenseAddGradient(GradContext& c) {
  c.Set(1, GatherNd(c.grad(), c.input(0), {}, c.where()));
  c.Set(3, c.grad());
  return absl::OkStatus();
}

Status SparseTensorDenseMatMulGradient(GradContext& c) {
  const Location where = c.where();
  const Output indices = c.input(0), b = c.input(3);
  const bool adjoint_a = c.attrs().Get<bool>("adjoint_a"),
             adjoint_b = c.attrs().Get<bool>("adjoint_b");
  if (IsComplex(b.value_dtype())) {
    return Unimplemented("SparseTensorDenseMatMul op does not support complex gradients.");
  }
  Output b_grad = SparseTensorDenseMatMul({indices, c.input(1), c.input(2)}, c.grad(),
                                          {.adjoint_a = !adjoint_a}, where);
  if (adjoint_b) b_grad = Transpose(b_grad, {}, where);
  c.Set(3, b_grad);
  const Output rows = At(indices, {SliceIndex::All(), 0}, {}, where);
  const Output columns = At(indices, {SliceIndex::All(), 1}, {}, where);
  const Output from_grad = Gather(c.grad(), adjoint_a ? columns : rows, {}, where);
  const Output from_b =
      Gather(adjoint_b ? Transpose(b, {}, where) : b, adjoint_a ? rows : columns, {}, where);
  c.Set(1, ReduceSum(array_grad::Mul(from_grad, from_b, where), 1, {}, where));
  return absl::OkStatus();
}

Status SparseDenseCwiseMulGradient(GradContext& c) {
  return CwiseGradient(c, true);
}
Status SparseDenseCwiseDivGradient(GradContext& c) {
  return CwiseGradient(c, false);
}

Status SparseSoftmaxGradient(GradContext& c) {
  const Location where = c.where();
  const Output indices = c.input(0), shape = c.input(2), y = c.output(0), grad = c.grad();
  const Output product = array_grad::Mul(y, grad, where);
  Output total;
  {
    const OpScope scope(c.graph(), "", "SparseReduceSum");
    const Output axes = Const(c.graph(), {-1}, {.name = "reduction_axes"}, where);
    total = SparseReduceSum({indices, product, shape}, axes,
                            {.keep_dims = true, .name = scope.op_name()}, where);
  }
  const Output negative = Neg(total, {}, where);
  const Output sum = SparseDenseCwiseAdd({indices, grad, shape}, negative, {}, where);
  c.Set(1, array_grad::Mul(sum, y, where));
  return absl::OkStatus();
}

Status SparseReduceSumGradient(GradContext& c) {
  const Location where = c.where();
  const Output shape = c.input(2);
  const Output kept = ReducedShape(Cast(shape, DType::kInt32, {}, where), c.input(3), where);
  const Output grad = Reshape(c.grad(), kept, {}, where);
  const Output scale = FloorDivided(shape, Cast(kept, DType::kInt64, {}, where), where);
  const Output indices = FloorDivided(c.input(0), scale, where);
  c.Set(1, GatherNd(grad, indices, {}, where));
  return absl::OkStatus();
}

}  // namespace headrace
