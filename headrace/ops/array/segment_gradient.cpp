#include "headrace/ops/array/segment_gradient.h"

#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/segment.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/select.h"

namespace headrace {
namespace {

// `mask`, of the shape of `ids`, with dimensions of 1 behind it so that it has the rank of `x`; for
// ranks that are not known.
Output WithRankOf(Output x, Output ids, Output mask, Location where) {
  const Output missing = array_grad::Sub(Rank(x, {}, where), Rank(ids, {}, where), where);
  const Output one = ConstScalar(*x.graph(), 1, DType::kInt32, {}, where);
  const Output tail = Fill(ExpandDims(missing, 0, {}, where), one, {}, where);
  return Reshape(mask, Concat({ShapeOf(ids, {}, where), tail}, 0, {}, where), {}, where);
}

// Rows of `params` by id, zeros where the id is negative. The clipped ids and the mask may be used
// again.
struct Dropped {
  Output rows, clipped, is_positive;
};
Dropped GatherDropNegatives(Output params, Output ids, Dropped known, Location where) {
  if (!known.clipped.valid()) {
    known.clipped = Maximum(ids, ZerosLike(ids, {}, where), {}, where);
  }
  const Output gathered = Gather(params, known.clipped, {}, where);
  if (!known.is_positive.valid()) {
    Output positive = GreaterEqual(ids, 0, {}, where);
    if (gathered.shape().has_rank() && ids.shape().has_rank()) {
      for (int i = ids.shape().rank(); i < gathered.shape().rank(); ++i)
        positive = ExpandDims(positive, -1, {}, where);
    } else {
      positive = WithRankOf(gathered, ids, positive, where);
    }
    const Output ones = OnesLike(gathered, {.dtype = DType::kBool}, where);
    known.is_positive = LogicalAnd(positive, ones, {.name = "and"}, where);
  }
  known.rows = Select(known.is_positive, gathered, ZerosLike(gathered, {}, where), {}, where);
  return known;
}

}  // namespace

Status SegmentSumGradient(GradContext& c) {
  c.Set(0, Gather(c.grad(), c.input(1), {}, c.where()));
  return absl::OkStatus();
}

Status SegmentMeanGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  const Output grad = c.grad(), ids = c.input(1);
  const Output rank = Rank(c.input(0), {}, where);
  const Output ids_shape = ShapeOf(ids, {}, where);
  const Output below = ExpandDims(array_grad::Sub(rank, 1, where), 0, {}, where);
  const Output tail = Fill(below, ConstScalar(g, 1, DType::kInt32, {}, where), {}, where);
  const Output shape = Concat({ids_shape, tail}, 0, {}, where);
  const Output ones = Fill(shape, ConstScalar(g, 1, grad.value_dtype(), {}, where), {}, where);
  const Output scaled = array_grad::Div(grad, SegmentSum(ones, ids, {}, where), where);
  c.Set(0, Gather(scaled, ids, {}, where));
  return absl::OkStatus();
}

Status SegmentMinMaxGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad(), data = c.input(0), ids = c.input(1);
  const Output zeros = ZerosLike(data, {}, where);
  const Output gathered = Gather(c.output(0), ids, {}, where);
  const Output selected = Equal(data, gathered, {}, where);
  const Output count = SegmentSum(Cast(selected, grad.value_dtype(), {}, where), ids, {}, where);
  const Output weighted = array_grad::Div(grad, count, where);
  const Output grads = Gather(weighted, ids, {}, where);
  c.Set(0, Select(selected, grads, zeros, {}, where));
  return absl::OkStatus();
}

Status UnsortedSegmentSumGradient(GradContext& c) {
  const Dropped dropped = GatherDropNegatives(c.grad(), c.input(1), {}, c.where());
  c.Set(0, dropped.rows);
  return absl::OkStatus();
}

Status UnsortedSegmentMinMaxGradient(GradContext& c) {
  const Location where = c.where();
  const Output grad = c.grad(), ids = c.input(1), num = c.input(2);
  const Dropped outputs = GatherDropNegatives(c.output(0), ids, {}, where);
  const Output equal = Equal(c.input(0), outputs.rows, {}, where);
  const Output selected = LogicalAnd(equal, outputs.is_positive, {}, where);
  const Output count =
      UnsortedSegmentSum(Cast(selected, grad.value_dtype(), {}, where), ids, num, {}, where);
  const Output weighted = array_grad::Div(grad, count, where);
  const Dropped grads = GatherDropNegatives(weighted, ids, outputs, where);
  const Output zeros = ZerosLike(grads.rows, {}, where);
  c.Set(0, Select(selected, grads.rows, zeros, {}, where));
  return absl::OkStatus();
}

// A segment without zeros: its product divided by the element. With one zero: the product of the
// others, to that element. With more: 0.
Status UnsortedSegmentProdGradient(GradContext& c) {
  const Location where = c.where();
  const Output data = c.input(0), ids = c.input(1), num = c.input(2);
  Output grad = c.grad();
  const Output is_zero = Equal(data, 0, {}, where);
  const Output zeros =
      UnsortedSegmentSum(Cast(is_zero, DType::kInt32, {}, where), ids, num, {}, where);
  const Output many = Greater(zeros, 1, {}, where);
  grad = Select(many, ZerosLike(grad, {}, where), grad, {}, where);
  const Output non_zero = Select(is_zero, OnesLike(data, {}, where), data, {}, where);
  const Output non_zero_prod =
      NodeBuilder("UnsortedSegmentProd", "", where).Input(non_zero).Input(ids).Input(num).Build();
  const Output clipped = Maximum(ids, ZerosLike(ids, {}, where), {}, where);
  const Output prod = Gather(c.output(0), clipped, {}, where);
  const Output others = Gather(non_zero_prod, clipped, {}, where);
  const Output divided = array_grad::Div(prod, data, where);
  const Output partial = Select(is_zero, others, divided, {}, where);
  const Dropped gathered = GatherDropNegatives(grad, ids, {.clipped = clipped}, where);
  c.Set(0, array_grad::Mul(gathered.rows, partial, where));
  return absl::OkStatus();
}

}  // namespace headrace
