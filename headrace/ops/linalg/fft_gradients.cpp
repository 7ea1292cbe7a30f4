#include "headrace/ops/linalg/fft_gradients.h"

#include <complex>
#include <numbers>

#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/tile.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/linalg/fft.h"
#include "headrace/ops/linalg/fft_kind.h"
#include "headrace/ops/linalg/matrix_nodes.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

using array_grad::Add;
using array_grad::Mul;
using array_grad::Sub;

// The number of elements of the last `rank` dimensions, in the step.
Output LastSize(Output x, int rank, Location where) {
  const Output last = At(ShapeOf(x, {}, where), {SliceIndex::From(-rank)}, {}, where);
  return ReduceProd(last, {}, {}, where);
}

Output Transform(const FftKind& kind, Output x, Location where) {
  if (kind.inverse) {
    return kind.rank == 1   ? IFFT(x, {}, where)
           : kind.rank == 2 ? IFFT2D(x, {}, where)
                            : IFFT3D(x, {}, where);
  }
  return kind.rank == 1   ? FFT(x, {}, where)
         : kind.rank == 2 ? FFT2D(x, {}, where)
                          : FFT3D(x, {}, where);
}

// 1, -1, 1, -1, ...
Output AlternatingSigns(Output length, Location where) {
  const Output range = Range(*length.graph(), 0, length, 1, {}, where);
  const Output twice = Mul(2, array_grad::Mod(range, 2, where), where);
  return Cast(Sub(1, twice, where), DType::kComplex64, {}, where);
}

// exp(-2 pi i j k / length).
Output FourierMatrix(Output length, Location where) {
  Graph& g = *length.graph();
  const Output range = Range(g, 0, length, 1, {}, where);
  const Output rows = Tile(ExpandDims(range, 0, {}, where), IntArg::Packed({length, 1}), {}, where);
  const Output columns = Transpose(rows, {1, 0}, {}, where);
  const Output products = Cast(Mul(rows, columns, where), DType::kComplex64, {}, where);
  Output turned;
  {
    const OpScope scope(g, "", "mul");
    const std::complex<float> factor(0, static_cast<float>(-2 * std::numbers::pi));
    const Output x = Const(g, factor, {.name = "x"}, where);
    turned = NodeBuilder(g, "Mul", scope.op_name(), where).Input(x).Input(products).Build();
  }
  const Output divisor = Cast(length, DType::kComplex64, {}, where);
  return Exp(array_grad::Div(turned, divisor, where), {}, where);
}

// The matrix once for each matrix of x.
Output ForEachOf(Output matrix, Output x, Location where) {
  Graph& g = *x.graph();
  const Output batch_rank = Sub(Rank(x, {}, where), 2, where);
  const Output ones = Ones(g, IntArg::Packed({batch_rank}), DType::kInt32, {}, where);
  const Output spread = matrix_grad::JoinShape(g, {ones, ShapeOf(matrix, {}, where)}, where);
  const Output expanded = Reshape(matrix, spread, {}, where);
  const Output batch = At(ShapeOf(x, {}, where), {SliceIndex::To(-2)}, {}, where);
  const Output times = matrix_grad::JoinShape(g, {batch, IntArg({1, 1})}, where);
  return Tile(expanded, times, {}, where);
}

// What the columns at 0 and n / 2, which are not doubled, lack.
Output ExtraTerms(GradContext& c, Output input_shape, Output is_even, int rank) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output grad = c.grad();
  const auto last = [&](SliceIndex columns) {
    return At(grad, {SliceIndex::Rest(), std::move(columns)}, {}, where);
  };
  const Output y0 = last(SliceIndex::Range(0, 1));
  if (rank == 1) {
    const Output ym = last(SliceIndex::From(-1));
    const Output kept = Mul(is_even, ym, where);
    const Output signs = AlternatingSigns(At(input_shape, {-1}, {}, where), where);
    return Add(y0, Mul(kept, signs, where), where);
  }
  const Output mask = FourierMatrix(At(input_shape, {-2}, {}, where), where);
  const Output masks = ForEachOf(mask, y0, where);
  const Output of_first = matrix_grad::Product(masks, Conj(y0, {}, where), where);
  const Output ym = last(SliceIndex::From(-1));
  const Output of_last = matrix_grad::Product(masks, Conj(ym, {}, where), where);
  const Output inner = At(input_shape, {-1}, {}, where);
  const Output outer_rank = Sub(Rank(grad, {}, where), 1, where);
  const Output ones = Ones(g, IntArg::Packed({outer_rank}), DType::kInt32, {}, where);
  const Output times = matrix_grad::JoinShape(g, {ones, IntArg::Packed({inner})}, where);
  const Output repeated = Tile(of_last, times, {}, where);
  const Output signed_last = Mul(repeated, AlternatingSigns(inner, where), where);
  return Add(of_first, Mul(is_even, signed_last, where), where);
}

}  // namespace

Status FftGradient(GradContext& c) {
  const Location where = c.where();
  FftKind kind = FftKind::Of(c.node().op_name());
  const Output grad = c.grad();
  const DType type = grad.value_dtype();
  const Output size = LastSize(grad, kind.rank, where);
  Output factor;
  if (kind.inverse) {
    const DType part = type == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32;
    const Output inverse = array_grad::Div(1.0, Cast(size, part, {}, where), where);
    factor = Cast(inverse, type, {}, where);
  } else {
    factor = Cast(size, type, {}, where);
  }
  kind.inverse = !kind.inverse;
  c.Set(0, Mul(Transform(kind, grad, where), factor, where));
  return absl::OkStatus();
}

Status RfftGradient(GradContext& c) {
  const Location where = c.where();
  const int rank = FftKind::Of(c.node().op_name()).rank;
  const Output length = c.input(1), grad = c.grad();
  const Output input_shape = ShapeOf(c.input(0), {}, where);
  const Output odd = array_grad::Mod(At(length, {-1}, {}, where), 2, where);
  const Output is_even = Cast(Sub(1, odd, where), DType::kComplex64, {}, where);
  const Output extra = ExtraTerms(c, input_shape, is_even, rank);
  const Output size = Cast(LastSize(c.input(0), rank, where), DType::kFloat32, {}, where);
  const RealFftOptions options{.fft_length = length};
  const Output inverse = rank == 1 ? IRFFT(grad, options, where) : IRFFT2D(grad, options, where);
  const Output scaled = Mul(inverse, size, where);
  const Output sum = Add(scaled, Real(extra, {}, where), where);
  c.Set(0, Mul(0.5, sum, where));
  return absl::OkStatus();
}

Status IrfftGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const int rank = FftKind::Of(c.node().op_name()).rank;
  const Output length = c.input(1), grad = c.grad();
  const Output odd = FloorMod(At(length, {-1}, {}, where), 2, {}, where);
  const Output last = At(ShapeOf(c.input(0), {}, where), {-1}, {}, where);
  // 1, 2, ..., 2, and 1 at the end of an even length: how often a number of the input counts.
  const Output doubled_count = Add(Sub(last, 2, where), odd, where);
  const Output ones = Ones(g, IntArg::Packed({doubled_count}), DType::kFloat32, {}, where);
  const Output twos = Mul(2.0, ones, where);
  const Output even = Sub(1, odd, where);
  const Output end = Ones(g, IntArg::Packed({even}), DType::kFloat32, {}, where);
  Output mask;
  {
    const OpScope scope(g, "", "concat");
    const Output first = Const(g, {1.0f}, {.name = "values_0"}, where);
    const Output axis = Const(g, 0, {.name = "axis"}, where);
    mask = NodeBuilder(g, "ConcatV2", scope.op_name(), where)
               .Input(first)
               .Input(twos)
               .Input(end)
               .Input(axis)
               .Build();
  }
  const Output size = Cast(LastSize(grad, rank, where), DType::kFloat32, {}, where);
  const Output inverse_size = Reciprocal(size, {}, where);
  const RealFftOptions options{.fft_length = length};
  const Output spectrum = rank == 1 ? RFFT(grad, options, where) : RFFT2D(grad, options, where);
  const Output factors = Cast(Mul(inverse_size, mask, where), DType::kComplex64, {}, where);
  c.Set(0, Mul(spectrum, factors, where));
  return absl::OkStatus();
}

}  // namespace headrace
