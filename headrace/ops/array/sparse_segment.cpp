#include "headrace/ops/array/sparse_segment.h"

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/segment.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/sparse_segment_kernels.h"
#include "headrace/ops/array/strided_slice.h"

namespace headrace {
namespace {

constexpr DTypeSet kFractions{DType::kFloat32, DType::kFloat64};

Status CheckSelection(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape ids, c.WithRank(2, 1));
  return c.CheckEqualDims(indices[0], ids[0], "size of indices", "size of segment_ids");
}

Status SumShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape out, c.WithRankAtLeast(0, 1));
  HR_RETURN_IF_ERROR(CheckSelection(c));
  int64_t rows = PartialShape::kUnknown;
  if (c.num_inputs() == 4) {
    HR_RETURN_IF_ERROR(c.CheckScalar(3));
    if (const auto segments = c.InputAsInts(3); segments.has_value()) {
      rows = segments->front();
      if (rows < 0) return InvalidArgument("Cannot specify a negative value for num_segments");
    }
  } else if (const auto ids = c.InputAsInts(2); ids.has_value()) {
    rows = ids->empty() ? 0 : std::max<int64_t>(ids->back(), -1) + 1;
  }
  if (out.has_rank()) out.set_dim(0, rows);
  return c.SetOutput(0, out);
}

Status GradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape out, c.WithRankAtLeast(0, 1));
  HR_RETURN_IF_ERROR(CheckSelection(c));
  HR_RETURN_IF_ERROR(c.CheckScalar(3));
  int64_t rows = PartialShape::kUnknown;
  if (const auto stated = c.InputAsInts(3); stated.has_value()) {
    rows = stated->front();
    if (rows < 0) return InvalidArgument("Cannot specify a negative value for output_dim0");
  }
  if (out.has_rank()) out.set_dim(0, rows);
  return c.SetOutput(0, out);
}

Output Rows(Output x, Location where) {
  return At(ShapeOf(x, {}, where), {0}, {}, where);
}

Status SumGradient(GradContext& c) {
  const Location where = c.where();
  const Output rows = Rows(c.input(0), where);
  const Output picked = Gather(c.grad(), c.input(2), {}, where);
  c.Set(0, UnsortedSegmentSum(picked, c.input(1), rows, {}, where));
  return absl::OkStatus();
}

Status MeanGradient(GradContext& c) {
  const Location where = c.where();
  const Output rows = Rows(c.input(0), where);
  const bool root = c.node().op_name().starts_with("SparseSegmentSqrtN");
  c.Set(0, (root ? SparseSegmentSqrtNGrad : SparseSegmentMeanGrad)(c.grad(), c.input(1), c.input(2),
                                                                   rows, {}, where));
  return absl::OkStatus();
}

// The op itself again, along the other way.
Status GradGradient(GradContext& c) {
  const Location where = c.where();
  const Output segments = Rows(c.input(0), where);
  const bool root = c.node().op_name() == "SparseSegmentSqrtNGrad";
  c.Set(0, (root ? SparseSegmentSqrtN : SparseSegmentMean)(c.grad(), c.input(1), c.input(2),
                                                           {.num_segments = segments}, where));
  return absl::OkStatus();
}

Output Make(const std::string& op, Output data, Output indices, Output ids,
            const SparseSegmentOptions& o, Location where) {
  if (!data.valid()) return {};
  if (!o.num_segments.has_value())
    return NodeBuilder(op, o.name, where).Input(data).Input(indices).Input(ids).Build();
  if (!o.num_segments->valid()) return {};
  Graph& g = *data.graph();
  const std::string with = StrCat(op, "WithNumSegments");
  std::optional<OpScope> scope;
  if (!o.num_segments->is_output()) scope.emplace(g, o.name, with);
  const Output segments = o.num_segments->In(g, "num_segments", DType::kInt32, where);
  return NodeBuilder(g, with, scope.has_value() ? scope->op_name() : o.name, where)
      .Input(data)
      .Input(indices)
      .Input(ids)
      .Input(segments)
      .Build();
}

Output MakeGrad(std::string_view op, Output grad, Output indices, Output ids, Output dim0,
                const OpOptions& o, Location where) {
  return NodeBuilder(op, o.name, where).Input(grad).Input(indices).Input(ids).Input(dim0).Build();
}

void DefineSum(OpRegistry& ops, std::string_view name, DTypeSet types, GradientFn gradient,
               std::string_view doc) {
  for (const bool with_number : {false, true}) {
    OpDef& op = ops.Define(StrCat(name, with_number ? "WithNumSegments" : ""))
                    .TypeAttr("T", types)
                    .TypeAttr("Tidx", kIndexTypes, DType::kInt32);
    if (with_number) op.TypeAttr("Tnumsegments", kIndexTypes, DType::kInt32);
    op.Input("data", "T").Input("indices", "Tidx").Input("segment_ids", "int32");
    if (with_number) op.Input("num_segments", "Tnumsegments");
    op.Output("output", "T")
        .Shape(SumShape)
        .Gradient(gradient)
        .Cpu({.types = {{"T", types}}, .make = MakeSparseSegmentCpu})
        .Doc(doc);
  }
}

}  // namespace

Output SparseSegmentSum(Output data, Output indices, Output ids, SparseSegmentOptions o,
                        Location where) {
  return Make("SparseSegmentSum", data, indices, ids, o, where);
}
Output SparseSegmentMean(Output data, Output indices, Output ids, SparseSegmentOptions o,
                         Location where) {
  return Make("SparseSegmentMean", data, indices, ids, o, where);
}
Output SparseSegmentSqrtN(Output data, Output indices, Output ids, SparseSegmentOptions o,
                          Location where) {
  return Make("SparseSegmentSqrtN", data, indices, ids, o, where);
}
Output SparseSegmentMeanGrad(Output grad, Output indices, Output ids, Output dim0, OpOptions o,
                             Location where) {
  return MakeGrad("SparseSegmentMeanGrad", grad, indices, ids, dim0, o, where);
}
Output SparseSegmentSqrtNGrad(Output grad, Output indices, Output ids, Output dim0, OpOptions o,
                              Location where) {
  return MakeGrad("SparseSegmentSqrtNGrad", grad, indices, ids, dim0, o, where);
}

void DefineSparseSegment(OpRegistry& ops) {
  DefineSum(ops, "SparseSegmentSum", kRealTypes, SumGradient, "Sums of groups of picked rows.");
  DefineSum(ops, "SparseSegmentMean", kFractions, MeanGradient, "Means of groups of picked rows.");
  DefineSum(ops, "SparseSegmentSqrtN", kFractions, MeanGradient,
            "Sums of groups of picked rows, divided by the root of their number.");
  for (const char* name : {"SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad"}) {
    ops.Define(name)
        .TypeAttr("T", kFractions)
        .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
        .Input("grad", "T")
        .Input("indices", "Tidx")
        .Input("segment_ids", "int32")
        .Input("output_dim0", "int32")
        .Output("output", "T")
        .Shape(GradShape)
        .Gradient(GradGradient)
        .Cpu({.types = {{"T", kFractions}}, .make = MakeSparseSegmentGradCpu})
        .Doc("The gradient of a mean over groups of picked rows.");
  }
}

}  // namespace headrace
