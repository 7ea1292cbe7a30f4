#include "headrace/ops/array/concat_gradient.h"

#include "headrace/base/strings.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/split.h"
#include "headrace/ops/array/where.h"
#include "headrace/ops/math/cast.h"

namespace headrace {
namespace {

// Many inputs are cut with one SplitV, few with a Slice each, as TensorFlow does.
constexpr size_t kMostSlices = 16;

// Shapes as constants where all are known, else one ShapeN.
std::vector<Output> InputShapes(GradContext& c, int first, int n) {
  std::vector<Output> shapes, inputs;
  bool known = true;
  for (int i = 0; i < n; ++i) inputs.push_back(c.input(first + i));
  for (int i = 0; i < n && known; ++i) {
    shapes.push_back(ShapeOf(inputs[i], {}, c.where()));
    known = shapes.back().valid() && shapes.back().node->op_name() == "Const";
  }
  return known ? shapes : ShapeN(inputs, {}, c.where());
}

Status DenseGradient(GradContext& c, int first, int n, Output axis) {
  const Location where = c.where();
  const Output grad = c.grad();
  const Output positive = array_grad::Mod(axis, Rank(c.input(first), {}, where), where);
  const std::vector<Output> shapes = InputShapes(c, first, n);
  if (shapes.size() > kMostSlices) {
    const Output stacked = Stack(shapes, {.axis = 1}, where);
    const Output row = Slice(stacked, IntArg::Packed({positive, 0}), {1, -1}, {}, where);
    const std::vector<Output> parts =
        SplitV(grad, Squeeze(row, {}, where), positive, {.num = n}, where);
    for (size_t i = 0; i < parts.size(); ++i) c.Set(first + static_cast<int>(i), parts[i]);
    return absl::OkStatus();
  }
  const std::vector<Output> offsets = ConcatOffset(positive, shapes, {}, where);
  for (int i = 0; i < n; ++i) c.Set(first + i, Slice(grad, offsets[i], shapes[i], {}, where));
  return absl::OkStatus();
}

// Along axis 0 each input gets the slices whose indices fall into it.
void RowGradients(GradContext& c, int first, const std::vector<Output>& shapes, Output axis,
                  const IndexedSlices& grad) {
  const Location where = c.where();
  Graph& g = c.graph();
  const DType index_type = grad.indices.value_dtype();
  Output start = ConstScalar(g, 0, index_type, {}, where);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Output size = Cast(Gather(shapes[i], axis, {}, where), index_type, {}, where);
    const Output end = array_grad::Add(start, size, where);
    const Output not_before = GreaterEqual(grad.indices, start, {}, where);
    const Output before_end = Less(grad.indices, end, {}, where);
    const Output chosen = Squeeze(Where(LogicalAnd(not_before, before_end, {}, where), {}, where),
                                  {.axis = {1}}, where);
    const Output indices = array_grad::Sub(Gather(grad.indices, chosen, {}, where), start, where);
    const Output values = Gather(grad.values, chosen, {}, where);
    c.Set(first + static_cast<int>(i), IndexedSlices{values, indices, shapes[i]});
    start = end;
  }
}

// Along another axis the slices are cut.
void ColumnGradients(GradContext& c, int first, const std::vector<Output>& shapes, Output axis,
                     const IndexedSlices& grad) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output rank = ShapeOf(shapes[0], {}, where);
  const Output before =
      Fill(ExpandDims(axis, 0, {}, where), ConstScalar(g, 0, DType::kInt32, {}, where), {}, where);
  const Output after = Fill(array_grad::Sub(array_grad::Sub(rank, axis, where), 1, where),
                            ConstScalar(g, 0, DType::kInt32, {}, where), {}, where);
  const Output mask = Concat({before, Const(g, {1}, {}, where), after}, 0, {}, where);
  Output begin = Fill(rank, ConstScalar(g, 0, DType::kInt32, {}, where), {}, where);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Output size =
        Concat({Const(g, {-1}, {}, where), Slice(shapes[i], {1}, {-1}, {}, where)}, 0, {}, where);
    const Output values = Slice(grad.values, begin, size, {}, where);
    c.Set(first + static_cast<int>(i), IndexedSlices{values, grad.indices, shapes[i]});
    begin = array_grad::Add(begin, array_grad::Mul(shapes[i], mask, where), where);
  }
}

}  // namespace

Status SliceConcatGradient(GradContext& c, int first, int axis_input) {
  const int n = c.num_inputs() - 1;
  const Output axis = c.input(axis_input);
  const std::optional<IndexedSlices>& slices = c.gradient(0).slices;
  if (!slices.has_value()) return DenseGradient(c, first, n, axis);
  const Tensor known = ConstantValue(axis);
  if (!known.valid())
    return InvalidArgument(
        "Can only compute IndexedSlices gradient with statically-known concat_dim");
  int64_t at = known.dtype() == DType::kInt32 ? known.scalar<int32_t>() : known.scalar<int64_t>();
  const Output positive = array_grad::Mod(axis, Rank(c.input(first), {}, c.where()), c.where());
  if (at < 0) {
    if (!c.input(first).shape().has_rank()) {
      return InvalidArgument(
          "Can only compute IndexedSlices gradient with negative concat_dim when first value rank "
          "is "
          "statically-known.");
    }
    at += c.input(first).shape().rank();
  }
  std::vector<Output> shapes;
  for (int i = 0; i < n; ++i) shapes.push_back(ShapeOf(c.input(first + i), {}, c.where()));
  if (at == 0) {
    RowGradients(c, first, shapes, positive, *slices);
  } else {
    ColumnGradients(c, first, shapes, positive, *slices);
  }
  return absl::OkStatus();
}

}  // namespace headrace
