#include "headrace/ops/math/reduce_gradients.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/tile.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/complex.h"
#include "headrace/ops/math/cumulative.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/reduce_plan.h"

namespace headrace {
namespace {

Operand At(Output x, Location where) {
  return Operand(x, where);
}

}  // namespace

Output ReducedShape(Output shape, Output axes, Location where) {
  Graph& g = *shape.graph();
  axes = Cast(axes, DType::kInt32, {}, where);
  const Output rank = Size(shape, {}, where);
  const Output positive = At(At(axes, where) + rank, where) % rank;
  const Output count = ShapeOf(positive, {}, where);
  const Output all = Range(g, 0, rank, 1, {.name = "range"}, where);
  Output ones;
  {
    OpScope scope(g, "", "Fill");
    const Output one = ConstScalar(g, 1, DType::kInt32, {.name = "value"}, where);
    ones = NodeBuilder("Fill", scope.op_name(), where).Input(count).Input(one).Build();
  }
  return NodeBuilder("DynamicStitch", "", where)
      .Input(all)
      .Input(positive)
      .Input(shape)
      .Input(ones)
      .Build();
}

namespace {

// x / max(y, 1) for shapes: 0 / 0 is 0.
Output ShapeQuotient(Output x, Output y, Location where) {
  const Output positive = Maximum(y, 1, {}, where);
  return FloorDiv(x, positive, {.name = "floordiv"}, where);
}

Tensor Int32s(const std::vector<int64_t>& values) {
  Tensor tensor(DType::kInt32, {static_cast<int64_t>(values.size())});
  StoreInts(values, tensor);
  return tensor;
}

// The gradient repeated along the reduced axes.
Output Spread(GradContext& c) {
  const Location where = c.where();
  const Output x = c.input(0);
  const PartialShape& shape = x.shape();
  const Tensor axes = ConstantValue(c.input(1));
  if (shape.has_rank() && axes.valid()) {
    const StatusOr<IntValues> values = IntValues::From(axes, "reduction_indices");
    bool all_in_order = axes.rank() == 1 && values.ok() && values->size() == shape.rank();
    for (int i = 0; all_in_order && i < values->size(); ++i) all_in_order = (*values)[i] == i;
    if (all_in_order) {
      const Output one = Reshape(c.grad(), std::vector<int64_t>(shape.rank(), 1), {}, where);
      const Output to =
          shape.is_fully_known()
              ? Const(c.graph(), Int32s({shape.dims().begin(), shape.dims().end()}), {}, where)
              : ShapeOf(x, {}, where);
      return Tile(one, to, {}, where);
    }
    const auto reduced = values.ok() ? ReducedAxes(values->span(), shape.rank()) : values.status();
    if (shape.is_fully_known() && reduced.ok()) {
      std::vector<int64_t> kept(shape.dims().begin(), shape.dims().end()), times(kept.size(), 1);
      for (size_t d = 0; d < kept.size(); ++d) {
        if ((*reduced)[d]) std::swap(kept[d], times[d]);
      }
      return Tile(Reshape(c.grad(), kept, {}, where), times, {}, where);
    }
  }
  const Output input_shape = ShapeOf(x, {}, where);
  Output kept, times;
  {
    const ColocateWith with(c.graph(), *input_shape.node);
    kept = ReducedShape(input_shape, c.input(1), where);
    times = ShapeQuotient(input_shape, kept, where);
  }
  return Tile(Reshape(c.grad(), kept, {}, where), times, {}, where);
}

}  // namespace

Status SumGradient(GradContext& c) {
  c.Set(0, Spread(c));
  return absl::OkStatus();
}

Status MeanGradient(GradContext& c) {
  const Location where = c.where();
  const Output spread = Spread(c);
  const Output x = c.input(0), y = c.output(0);
  Output factor;
  if (x.shape().is_fully_known() && y.shape().is_fully_known()) {
    const int64_t count = x.shape().num_elements() / std::max<int64_t>(1, y.shape().num_elements());
    factor = ConstScalar(c.graph(), static_cast<double>(count), c.grad().value_dtype(), {}, where);
  } else {
    const Output input_shape = ShapeOf(x, {}, where), output_shape = ShapeOf(y, {}, where);
    const Output of_input = ReduceProd(input_shape, {}, {}, where);
    const Output of_output = ReduceProd(output_shape, {}, {}, where);
    factor = Cast(ShapeQuotient(of_input, of_output, where), c.grad().value_dtype(), {}, where);
  }
  c.Set(0, At(spread, where) / factor);
  return absl::OkStatus();
}

// Of several elements that share the extreme, each gets its part.
Status ExtremeOverAxesGradient(GradContext& c) {
  const Location where = c.where();
  const Output x = c.input(0), axes = c.input(1);
  const Output kept = ReducedShape(ShapeOf(x, {}, where), axes, where);
  const Output y = Reshape(c.output(0), kept, {}, where);
  const Output grad = Reshape(c.grad(), kept, {}, where);
  const Output chosen = Cast(Equal(y, x, {}, where), grad.value_dtype(), {}, where);
  const Output how_many = Reshape(ReduceSum(chosen, axes, {}, where), kept, {}, where);
  const Output share = At(chosen, where) / how_many;
  c.Set(0, At(share, where) * grad);
  return absl::OkStatus();
}

// The product of all others, by products from both ends: right where elements are 0, too.
Status ProdGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output x = c.input(0);
  const Output input_shape = ShapeOf(x, {}, where);
  Output axes = Reshape(c.input(1), {-1}, {}, where);
  const Output kept = ReducedShape(input_shape, c.input(1), where);
  const Output times = ShapeQuotient(input_shape, kept, where);
  const Output grad = Tile(Reshape(c.grad(), kept, {}, where), times, {}, where);
  // The reduced dimensions first, as one; the others after them, as one.
  Output perm, reduced_size, other_size;
  {
    const DeviceScope on_host(g, "/cpu:0", where);
    Output rank = Rank(x, {}, where);
    if (axes.value_dtype() != DType::kInt32) axes = Cast(axes, DType::kInt32, {}, where);
    axes = At(At(axes, where) + rank, where) % rank;
    const Output all = Range(g, 0, rank, 1, {.name = "range"}, where);
    const Output others = NodeBuilder("ListDiff", "", where).Input(all).Input(axes).Build();
    perm = Concat({axes, others}, 0, {}, where);
    reduced_size = ReduceProd(Gather(input_shape, axes, {}, where), {}, {}, where);
    other_size = ReduceProd(Gather(input_shape, others, {}, where), {}, {}, where);
  }
  const Output permuted = Transpose(x, perm, {}, where);
  const Output permuted_shape = ShapeOf(permuted, {}, where);
  Output flat;
  {
    OpScope scope(g, "", "Reshape");
    const Output flat_shape = Stack({reduced_size, other_size}, {.name = "shape"}, where);
    flat = Reshape(permuted, flat_shape, {.name = scope.op_name()}, where);
  }
  const Output left = Cumprod(flat, 0, {.exclusive = true}, where);
  const Output right = Cumprod(flat, 0, {.exclusive = true, .reverse = true}, where);
  const Output of_left = Conj(left, {}, where), of_right = Conj(right, {}, where);
  const Output others_product = Reshape(At(of_left, where) * of_right, permuted_shape, {}, where);
  const Output inverse = InvertPermutation(perm, {}, where);
  const Output slope = Transpose(others_product, inverse, {}, where);
  const Output out = At(grad, where) * slope;
  c.Set(0, Reshape(out, input_shape, {}, where));
  return absl::OkStatus();
}

}  // namespace headrace
