#include "headrace/ops/linalg/tridiagonal_gradients.h"

#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/pad.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/linalg/tridiagonal.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

using array_grad::Add;
using array_grad::Mul;

// x[..., row, columns], x[..., rows, :].
Output RowPart(Output x, int row, SliceIndex columns, Location where) {
  return At(x, {SliceIndex::Rest(), row, std::move(columns)}, {}, where);
}
Output Rows(Output x, SliceIndex rows, Location where) {
  return At(x, {SliceIndex::Rest(), std::move(rows), SliceIndex::All()}, {}, where);
}

// No padding of all dimensions but the last two.
Output NoBatchPadding(Output rank, Location where) {
  const Output batch_rank = array_grad::Sub(rank, 2, where);
  return Zeros(*rank.graph(), IntArg::Packed({batch_rank, 2}), DType::kInt32, {}, where);
}

// Rows moved up by one, and down by one, with zeros where there is none.
Output LeftShift(Output x, Location where) {
  const Output none = NoBatchPadding(Rank(x, {}, where), where);
  const Output of_last = Const(*x.graph(), {{0, 1}, {0, 0}}, {}, where);
  const Output paddings = Concat({none, of_last}, 0, {}, where);
  return Pad(Rows(x, SliceIndex::From(1), where), paddings, {}, where);
}
Output RightShift(Output x, Location where) {
  const Output none = NoBatchPadding(Rank(x, {}, where), where);
  const Output of_last = Const(*x.graph(), {{1, 0}, {0, 0}}, {}, where);
  const Output paddings = Concat({none, of_last}, 0, {}, where);
  return Pad(Rows(x, SliceIndex::To(-1), where), paddings, {}, where);
}

Output SumOfColumns(Output x, Location where) {
  return ReduceSum(x, -1, {}, where);
}

// Diagonals of the transposed matrix.
Output Transposed(Output diagonals, Location where) {
  Graph& g = *diagonals.graph();
  const PartialShape& shape = diagonals.shape();
  const Output main = RowPart(diagonals, 1, SliceIndex::All(), where);
  Output above, below;
  if (shape.is_fully_known()) {
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end() - 2);
    dims.push_back(1);
    const Output zeros = Zeros(g, dims, diagonals.value_dtype(), {}, where);
    const Output from_below = RowPart(diagonals, 2, SliceIndex::From(1), where);
    above = Concat({from_below, zeros}, -1, {}, where);
    const Output from_above = RowPart(diagonals, 0, SliceIndex::To(-1), where);
    below = Concat({zeros, from_above}, -1, {}, where);
  } else {
    const Output none = NoBatchPadding(Rank(diagonals, {}, where), where);
    const auto padded = [&](int row, SliceIndex columns, std::initializer_list<int> last) {
      const Output paddings = Concat({none, Const(g, {last}, {}, where)}, 0, {}, where);
      return Pad(RowPart(diagonals, row, std::move(columns), where), paddings, {}, where);
    };
    above = padded(2, SliceIndex::From(1), {0, 1});
    below = padded(0, SliceIndex::To(-1), {1, 0});
  }
  return Stack({above, main, below}, {.axis = -2}, where);
}

// The three diagonals of x * transpose(y).
Output DiagonalsOfProduct(Output x, Output y, Location where) {
  Graph& g = *x.graph();
  const Output main = SumOfColumns(Mul(x, y, where), where);
  Output above, below;
  if (y.shape().is_fully_known() && x.shape().is_fully_known()) {
    const PartialShape& shape = x.shape();
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    dims[dims.size() - 2] = 1;
    const Output zeros = Zeros(g, dims, x.value_dtype(), {}, where);
    const Output later = Rows(y, SliceIndex::From(1), where);
    above = SumOfColumns(Mul(x, Concat({later, zeros}, -2, {}, where), where), where);
    const Output earlier = Rows(y, SliceIndex::To(-1), where);
    below = SumOfColumns(Mul(x, Concat({zeros, earlier}, -2, {}, where), where), where);
  } else {
    const Output none = NoBatchPadding(Rank(y, {}, where), where);
    const Output up = Concat({none, Const(g, {{0, 1}, {0, 0}}, {}, where)}, 0, {}, where);
    const Output later = Pad(Rows(y, SliceIndex::From(1), where), up, {}, where);
    above = SumOfColumns(Mul(x, later, where), where);
    const Output down = Concat({none, Const(g, {{1, 0}, {0, 0}}, {}, where)}, 0, {}, where);
    const Output earlier = Pad(Rows(y, SliceIndex::To(-1), where), down, {}, where);
    below = SumOfColumns(Mul(x, earlier, where), where);
  }
  return Stack({above, main, below}, {.axis = -2}, where);
}

}  // namespace

Status TridiagonalSolveGradient(GradContext& c) {
  const Location where = c.where();
  const bool pivoting = c.attrs().Get<bool>("partial_pivoting");
  const Output transposed = Transposed(c.input(0), where);
  const Output grad_rhs =
      TridiagonalSolve(transposed, c.grad(), {.partial_pivoting = pivoting}, where);
  c.Set(0, matrix_grad::Neg(DiagonalsOfProduct(grad_rhs, c.output(0), where), where));
  c.Set(1, grad_rhs);
  return absl::OkStatus();
}

Status TridiagonalMatMulGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad();
  const MatrixTransposeOptions conjugate{.conjugate = true};
  const Output above = MatrixTranspose(c.input(0), conjugate, where);
  const Output main = MatrixTranspose(c.input(1), conjugate, where);
  const Output below = MatrixTranspose(c.input(2), conjugate, where);
  const Output rhs = Conj(c.input(3), {}, where);
  const Output of_above = SumOfColumns(Mul(LeftShift(rhs, where), grad, where), where);
  const Output of_main = SumOfColumns(Mul(rhs, grad, where), where);
  const Output of_below = SumOfColumns(Mul(RightShift(rhs, where), grad, where), where);
  const Output from_above = RightShift(Mul(above, grad, where), where);
  const Output from_main = Add(from_above, Mul(main, grad, where), where);
  const Output from_below = LeftShift(Mul(below, grad, where), where);
  c.Set(3, Add(from_main, from_below, where));
  c.Set(0, ExpandDims(of_above, -2, {}, where));
  c.Set(1, ExpandDims(of_main, -2, {}, where));
  c.Set(2, ExpandDims(of_below, -2, {}, where));
  return absl::OkStatus();
}

}  // namespace headrace
