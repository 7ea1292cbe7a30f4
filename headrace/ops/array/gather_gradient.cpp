#include "headrace/ops/array/gather_gradient.h"

#include "headrace/base/strings.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/segment.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/state/resource_variable.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

// Through int64, as TensorFlow does it, on the device of the table.
Output ParamsShape(Output params, Location where) {
  ColocateWith table(params.node->graph(), *params.node);
  return Cast(ShapeOf(params, {.out_type = DType::kInt64}, where), DType::kInt32, {}, where);
}

Output IndexCount(Output indices, Location where) {
  return ExpandDims(Size(indices, {}, where), 0, {}, where);
}

Status RowsGradient(GradContext& c, Output shape) {
  const Location where = c.where();
  const Output grad = c.grad();
  const Output count = IndexCount(c.input(1), where);
  const Output rest = At(shape, {SliceIndex::From(1)}, {}, where);
  const Output values = Reshape(grad, Concat({count, rest}, 0, {}, where), {}, where);
  c.Set(0, IndexedSlices{values, Reshape(c.input(1), count, {}, where), shape});
  return absl::OkStatus();
}

// Indices into the first dimension of a tensor whose first batch_dims + 1 dimensions were joined.
Output BatchIndices(Output shape, Output indices, int batch_dims, Location where) {
  Graph& g = *indices.graph();
  const DType type = indices.value_dtype();
  const int rank = indices.shape().rank();
  const Output cast_shape = Cast(shape, type, {}, where);
  Output below = Ones(g, Shape{}, type, {}, where);
  Output result = indices;
  for (int dim = batch_dims; dim > 0; --dim) {
    const Output size = At(cast_shape, {dim - 1}, {}, where);
    below = array_grad::Mul(below, At(cast_shape, {dim}, {}, where), where);
    const Output start = Zeros(g, Shape{}, type, {}, where),
                 step = Ones(g, Shape{}, type, {}, where);
    const Output along = array_grad::Mul(Range(start, size, step, {}, where), below, where);
    std::vector<IntArg> dims(dim - 1, IntArg(1));
    dims.push_back(size);
    dims.resize(rank, IntArg(1));
    const Output dim_shape = IntArg::Packed(std::move(dims)).In(g, "stack", DType::kInt32, where);
    result = array_grad::Add(result, Reshape(along, dim_shape, {}, where), where);
  }
  return result;
}

Output SumByIndex(Output shape, Output values, Output indices, int batch_dims, Output axis_size,
                  Location where) {
  const Output count = IndexCount(indices, where);
  if (batch_dims == 0) {
    return UnsortedSegmentSum(values, Reshape(indices, count, {}, where), axis_size, {}, where);
  }
  const Output values_shape = ShapeOf(values, {}, where);
  const Output outer = At(values_shape, {SliceIndex::To(batch_dims)}, {}, where);
  const Output inner = At(At(values_shape, {SliceIndex::From(batch_dims)}, {}, where),
                          {SliceIndex::From(1)}, {}, where);
  const Output batches = ReduceProd(outer, {0}, {}, where);
  const Output flat_shape = Concat({Const(*values.graph(), {-1}, {}, where), inner}, 0, {}, where);
  axis_size = array_grad::Mul(axis_size, batches, where);
  indices = BatchIndices(shape, indices, batch_dims, where);
  values = Reshape(values, flat_shape, {}, where);
  const Output sums =
      UnsortedSegmentSum(values, Reshape(indices, count, {}, where), axis_size, {}, where);
  return Reshape(sums, Concat({outer, flat_shape}, 0, {}, where), {}, where);
}

Output PackedOne(Output scalar, std::string_view name, Location where) {
  return IntArg::Packed({scalar}).In(*scalar.graph(), name, DType::kInt32, where);
}

// Along an axis other than 0: brought to the front, summed by index, brought back. Node for node as
// TensorFlow.
Status AxisGradient(GradContext& c, Output shape, int batch_dims) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output axis = c.input(2), indices = c.input(1), grad = c.grad();
  IndexCount(indices, where);  // TensorFlow makes it here, and does not use it
  const Output outer = At(shape, {SliceIndex::To(axis)}, {}, where);
  const Output inner =
      At(At(shape, {SliceIndex::From(axis)}, {}, where), {SliceIndex::From(1)}, {}, where);
  Output values_shape;
  {
    const OpScope scope(g, "", "concat");
    const Output all = Const(g, {-1}, {.name = "values_1"}, where);
    const Output zero = Const(g, 0, {.name = "axis"}, where);
    values_shape = NodeBuilder(g, "ConcatV2", scope.op_name(), where)
                       .Input(outer)
                       .Input(all)
                       .Input(inner)
                       .Input(zero)
                       .Build();
  }
  const Output dims = Size(values_shape, {}, where), axis_dims = Size(outer, {}, where);
  const Output batches = Range(g, 0, batch_dims, 1, {}, where);
  const Output after_batches = Range(g, batch_dims, axis_dims, 1, {}, where);
  const Output inner_axes = Range(g, array_grad::Add(axis_dims, 1, where), dims, 1, {}, where);
  const Output values = Reshape(grad, values_shape, {}, where);
  Output order;
  {
    const OpScope scope(g, "", "concat");
    const Output moved = PackedOne(axis_dims, "values_1", where);
    const Output zero = Const(g, 0, {.name = "axis"}, where);
    order = NodeBuilder(g, "ConcatV2", scope.op_name(), where)
                .Input(batches)
                .Input(moved)
                .Input(after_batches)
                .Input(inner_axes)
                .Input(zero)
                .Build();
  }
  const Output moved = Transpose(values, order, {}, where);
  const Output axis_size = At(shape, {axis}, {}, where);
  const Output sums = SumByIndex(shape, moved, indices, batch_dims, axis_size, where);
  const Output shifted = array_grad::Add(after_batches, 1, where);
  Output back;
  {
    const OpScope scope(g, "", "concat");
    const Output first = Const(g, {batch_dims}, {.name = "values_2"}, where);
    const Output zero = Const(g, 0, {.name = "axis"}, where);
    back = NodeBuilder(g, "ConcatV2", scope.op_name(), where)
               .Input(batches)
               .Input(shifted)
               .Input(first)
               .Input(inner_axes)
               .Input(zero)
               .Build();
  }
  c.Set(0, Transpose(sums, back, {}, where));
  return absl::OkStatus();
}

}  // namespace

Status GatherGradient(GradContext& c) {
  return RowsGradient(c, ParamsShape(c.input(0), c.where()));
}

Status ResourceGatherGradient(GradContext& c) {
  const PartialShape shape = HandleOf(c.input(0)).shape;
  if (!shape.is_fully_known())
    return RowsGradient(c, VariableShapeOp(c.input(0), DType::kInt32, {}, c.where()));
  Tensor value(DType::kInt32, {shape.rank()});
  StoreInts(shape.dims(), value);
  return RowsGradient(c, Const(c.graph(), std::move(value), {}, c.where()));
}

Status GatherV2Gradient(GradContext& c) {
  const Output shape = ParamsShape(c.input(0), c.where());
  int64_t batch_dims = c.attrs().Get<int64_t>("batch_dims");
  if (batch_dims < 0) {
    if (!c.input(1).shape().has_rank()) {
      return InvalidArgument("a negative batch_dims needs indices of known rank for the gradient");
    }
    batch_dims += c.input(1).shape().rank();
  }
  const Tensor axis = ConstantValue(c.input(2));
  const bool first = axis.valid() && (axis.dtype() == DType::kInt32 ? axis.scalar<int32_t>() == 0
                                                                    : axis.scalar<int64_t>() == 0);
  if (first) return RowsGradient(c, shape);
  if (batch_dims > 0 && !c.input(1).shape().has_rank()) {
    return InvalidArgument("batch_dims needs indices of known rank for the gradient");
  }
  return AxisGradient(c, shape, static_cast<int>(batch_dims));
}

}  // namespace headrace
