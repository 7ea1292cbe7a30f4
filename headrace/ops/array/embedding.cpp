#include "headrace/ops/array/embedding.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/dynamic.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/select.h"

namespace headrace {
namespace {

Output FloorDivide(Operand a, Operand b, Location where) {
  return FloorDiv(a, b, {.name = "floordiv"}, where);
}

// Which part an id is in, and its row there.
struct Assignment {
  Output part, row;
};

Output TotalRows(std::span<const Output> params, DType type, Location where) {
  Graph& g = *params[0].graph();
  int64_t total = 0;
  for (const Output& p : params) {
    const int64_t rows = p.shape().rank() > 0 ? p.shape()[0] : PartialShape::kUnknown;
    total = total < 0 || rows < 0 ? PartialShape::kUnknown : total + rows;
  }
  if (total > 0) return ConstScalar(g, static_cast<double>(total), type, {}, where);
  std::vector<IntArg> sizes;
  for (const Output& p : params) {
    if (p.shape().rank() > 0 && p.shape()[0] >= 0) {
      sizes.push_back(p.shape()[0]);
    } else {
      ColocateWith table(g, *p.node);
      sizes.push_back(At(ShapeOf(p, {}, where), {0}, {}, where));
    }
  }
  const Output stacked = IntArg::Packed(std::move(sizes)).In(g, "stack", DType::kInt32, where);
  return ReduceSum(Cast(stacked, type, {}, where), {}, {}, where);
}

Assignment Divide(std::span<const Output> params, Output ids, Location where) {
  const int n = static_cast<int>(params.size());
  const Output total = TotalRows(params, ids.value_dtype(), where);
  const Output each = FloorDivide(total, n, where);
  const Output extras = array_grad::Mod(total, n, where);
  const Output among_longer = FloorDivide(ids, array_grad::Add(each, 1, where), where);
  const Output among_shorter = FloorDivide(array_grad::Sub(ids, extras, where), each, where);
  const Output part = Maximum(among_longer, among_shorter, {}, where);
  const Output is_longer = Less(part, extras, {}, where);
  const Output row_longer = array_grad::Mod(ids, array_grad::Add(each, 1, where), where);
  const Output row_shorter = array_grad::Mod(array_grad::Sub(ids, extras, where), each, where);
  return {part, Select(is_longer, row_longer, row_shorter, {}, where)};
}

Assignment Assign(std::span<const Output> params, Output ids, PartitionStrategy strategy,
                  Location where) {
  if (strategy == PartitionStrategy::kDiv) return Divide(params, ids, where);
  const int n = static_cast<int>(params.size());
  const Output part = array_grad::Mod(ids, n, where);
  return {part, FloorDivide(ids, n, where)};
}

// What all parts know of the shape of a row.
StatusOr<PartialShape> RowShape(std::span<const Output> params) {
  PartialShape row;
  for (const Output& p : params) {
    if (!p.shape().has_rank()) continue;
    if (p.shape().rank() < 1)
      return InvalidArgument("parts of a table must have rank >= 1, got ", p.shape().ToString());
    HR_ASSIGN_OR_RETURN(row, row.MergedWith(PartialShape(p.shape().dims().subspan(1))));
  }
  return row;
}

// The shape of the result: that of the ids, then that of a row.
Output ResultShape(std::span<const Output> params, Output ids, const PartialShape& row,
                   Location where) {
  Graph& g = *ids.graph();
  Output row_shape;
  if (!row.is_fully_known()) {
    ColocateWith table(g, *params[0].node);
    row_shape = ShapeOf(params[0], {}, where);
  }
  if (row_shape.valid()) row_shape = At(row_shape, {SliceIndex::From(1)}, {}, where);
  const Output ids_shape = ShapeOf(ids, {}, where);
  const OpScope scope(g, "", "concat");
  if (!row_shape.valid()) row_shape = IntArg(row.ToShape()).In(g, "values_1", DType::kInt32, where);
  const Output axis = Const(g, 0, {.name = "axis"}, where);
  return NodeBuilder(g, "ConcatV2", scope.op_name(), where)
      .Input(ids_shape)
      .Input(row_shape)
      .Input(axis)
      .Build();
}

}  // namespace

Output EmbeddingLookup(std::span<const Output> params, Output ids, EmbeddingLookupOptions o,
                       Location where) {
  if (params.empty()) return {};
  if (!ids.valid() || !std::ranges::all_of(params, &Output::valid))  // says which, if none has said it before
    return NodeBuilder("GatherV2", o.name, where).Inputs(params).Input(ids).Build();
  Graph& g = *ids.graph();
  const OpScope scope(g, o.name, "embedding_lookup");
  if (params.size() == 1) {
    Output rows;
    {
      ColocateWith table(g, *params[0].node);
      rows = Gather(params[0], ids, {.name = scope.op_name()}, where);
    }
    return Identity(rows, {}, where);
  }
  const auto row = RowShape(params);
  if (!row.ok()) {
    g.ReportError(Annotate(row.status(), StrCat("embedding_lookup (", where.ToString(), "): ")));
    return {};
  }
  const Output flat = Reshape(ids, {-1}, {}, where);
  const Output positions = Range(g, 0, Size(flat, {}, where), 1, {}, where);
  const Assignment assigned = Assign(params, flat, o.strategy, where);
  const Output part = Cast(assigned.part, DType::kInt32, {}, where);
  const int64_t n = static_cast<int64_t>(params.size());
  const std::vector<Output> part_rows = DynamicPartition(assigned.row, part, n, {}, where);
  const std::vector<Output> part_positions = DynamicPartition(positions, part, n, {}, where);
  std::vector<Output> found;
  for (size_t k = 0; k < params.size(); ++k) {
    ColocateWith table(g, *params[k].node);
    found.push_back(Gather(params[k], part_rows[k], {}, where));
  }
  const Output stitched =
      DynamicStitch(part_positions, found, {.parallel = true, .name = scope.op_name()}, where);
  if (!stitched.valid()) return {};
  const Output result = Reshape(stitched, ResultShape(params, ids, *row, where), {}, where);
  if (result.valid() && ids.shape().has_rank() && row->has_rank()) {
    PartialShape shape = ids.shape();
    for (int64_t d : row->dims()) shape.Append(d);
    if (Status refined = g.RefineShape(result, shape); !refined.ok()) g.ReportError(refined);
  }
  return result;
}

}  // namespace headrace
