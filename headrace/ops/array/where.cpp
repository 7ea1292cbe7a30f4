#include "headrace/ops/array/where.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/where_kernels.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {
namespace {

Status WhereShape(ShapeContext& c) {
  return c.SetOutput(0, {PartialShape::kUnknown,
                         c.input(0).has_rank() ? c.input(0).rank() : PartialShape::kUnknown});
}

Status UniqueShape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() != 1)
    return InvalidArgument("unique expects a 1D vector.");
  HR_RETURN_IF_ERROR(c.SetOutput(0, {PartialShape::kUnknown}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, c.input(0).has_rank() ? c.input(0) : PartialShape::OfRank(1)));
  return c.num_outputs() > 2 ? c.SetOutput(2, {PartialShape::kUnknown}) : absl::OkStatus();
}

Status UniqueV2Shape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(
      c.SetOutput(0, PartialShape::OfRank(c.input(0).has_rank() ? c.input(0).rank() : 0)));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {PartialShape::kUnknown}));
  if (c.num_outputs() > 2) HR_RETURN_IF_ERROR(c.SetOutput(2, {PartialShape::kUnknown}));
  const auto axis = c.InputAsInts(1);
  if (!c.input(0).has_rank()) return c.SetOutput(0, PartialShape());
  if (!axis.has_value() || axis->size() > 1) return absl::OkStatus();
  PartialShape out = c.input(0);
  int at = 0;
  if (!axis->empty()) {
    HR_ASSIGN_OR_RETURN(at, ShapeContext::NormalizeAxis(axis->front(), out.rank()));
  } else if (out.rank() != 1) {
    return InvalidArgument("unique expects a 1D vector.");
  }
  HR_RETURN_IF_ERROR(c.SetOutput(1, {out[at]}));
  out.set_dim(at, PartialShape::kUnknown);
  return c.SetOutput(0, out);
}

Status ListDiffShape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() != 1)
    return InvalidArgument("x should be a 1D vector.");
  if (c.input(1).has_rank() && c.input(1).rank() != 1)
    return InvalidArgument("y should be a 1D vector.");
  HR_RETURN_IF_ERROR(c.SetOutput(0, {PartialShape::kUnknown}));
  return c.SetOutput(1, {PartialShape::kUnknown});
}

UniqueResult Result(Node* node) {
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->num_outputs() > 2 ? node->output(2) : Output{}};
}

UniqueResult AlongAxis(std::string_view op, Output x, const IntArg& axis, const UniqueOptions& o,
                       Location where) {
  if (!x.valid() || !axis.valid()) return {};
  Graph& g = *x.graph();
  const OpScope scope(g, o.name, op);
  const Output a = axis.In(g, "axis", DType::kInt64, where);
  return Result(NodeBuilder(g, op, scope.op_name(), where)
                    .Input(x)
                    .Input(a)
                    .Attr("out_idx", o.out_idx)
                    .BuildNode());
}

}  // namespace

Output Where(Output x, OpOptions o, Location where) {
  return NodeBuilder("Where", o.name, where).Input(x).Build();
}

UniqueResult Unique(Output x, UniqueOptions o, Location where) {
  return Result(
      NodeBuilder("Unique", o.name, where).Input(x).Attr("out_idx", o.out_idx).BuildNode());
}
UniqueResult UniqueWithCounts(Output x, UniqueOptions o, Location where) {
  return Result(NodeBuilder("UniqueWithCounts", o.name, where)
                    .Input(x)
                    .Attr("out_idx", o.out_idx)
                    .BuildNode());
}
UniqueResult UniqueV2(Output x, IntArg axis, UniqueOptions o, Location where) {
  return AlongAxis("UniqueV2", x, axis, o, where);
}
UniqueResult UniqueWithCountsV2(Output x, IntArg axis, UniqueOptions o, Location where) {
  return AlongAxis("UniqueWithCountsV2", x, axis, o, where);
}

Output BooleanMask(Output x, Output mask, BooleanMaskOptions o, Location where) {
  if (!x.valid() || !mask.valid()) return {};
  Graph& g = *x.graph();
  const int rank = mask.shape().rank();
  if (rank < 1) {
    g.ReportError(InvalidArgument("boolean_mask (", where.ToString(),
                                  "): the mask must be of known rank >= 1, got shape ",
                                  mask.shape().ToString()));
    return {};
  }
  NameScope scope(g, o.name.empty() ? "boolean_mask" : o.name);
  const int64_t axis = o.axis, end = o.axis + rank;
  const Output masked = At(ShapeOf(x, {}, where), {SliceIndex::Range(axis, end)}, {}, where);
  const Output count = ReduceProd(masked, {0}, {}, where);
  const Output before = At(ShapeOf(x, {}, where), {SliceIndex::To(axis)}, {}, where);
  const Output after = At(ShapeOf(x, {}, where), {SliceIndex::From(end)}, {}, where);
  Output flat_shape;
  {
    const OpScope concat(g, "", "concat");
    const Output one = IntArg::Packed({count}).In(g, "values_1", DType::kInt32, where);
    const Output zero = Const(g, 0, {.name = "axis"}, where);
    flat_shape = NodeBuilder(g, "ConcatV2", concat.op_name(), where)
                     .Input(before)
                     .Input(one)
                     .Input(after)
                     .Input(zero)
                     .Build();
  }
  const Output flat = Reshape(x, flat_shape, {}, where);
  const Output flat_mask = Reshape(mask, {-1}, {}, where);
  const Output rows = Squeeze(Where(flat_mask, {}, where), {.axis = {1}}, where);
  return Gather(flat, rows, {.axis = axis}, where);
}

void DefineWhere(OpRegistry& ops) {
  ops.Define("Where")
      .TypeAttr(
          "T", kNumberTypes | DTypeSet{DType::kBool, DType::kQInt8, DType::kQUInt8, DType::kQInt32},
          DType::kBool)
      .Input("input", "T")
      .Output("index", "int64")
      .Shape(WhereShape)
      .NoGradient()
      .Cpu({.types = {{"T", kCommonNumberTypes | kBoolOnly}}, .make = MakeWhereCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes | kInt32Only}}})
      .Doc("Coordinates of the elements that are set.");
  const DTypeSet compared =
      (kCommonNumberTypes - kComplexTypes) | DTypeSet{DType::kBool, DType::kString};
  for (const char* name : {"Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2"}) {
    OpDef& op = ops.Define(name).TypeAttr("T", kAllTypes);
    const bool v2 = std::string_view(name).ends_with("V2"),
               counts = std::string_view(name).starts_with("UniqueWithCounts");
    if (v2) op.TypeAttr("Taxis", kIndexTypes, DType::kInt64);
    op.TypeAttr("out_idx", kIndexTypes, DType::kInt32).Input("x", "T");
    if (v2) op.Input("axis", "Taxis");
    op.Output("y", "T").Output("idx", "out_idx");
    if (counts) op.Output("count", "out_idx");
    op.Shape(v2 ? UniqueV2Shape : UniqueShape)
        .NoGradient()
        .Cpu({.types = {{"T", compared}}, .make = MakeUniqueCpu})
        .Doc("Each different value once, in order of appearance.");
    // TensorFlow's GPU kernels of Unique run on the host.
    if (!v2 && !counts) {
      op.Gpu({.types = {{"T", kIndexTypes}}, .host_args = {"x", "y", "idx"}});
    }
  }
  ops.Define("ListDiff")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("out_idx", kIndexTypes, DType::kInt32)
      .Input("x", "T")
      .Input("y", "T")
      .Output("out", "T")
      .Output("idx", "out_idx")
      .Shape(ListDiffShape)
      .NoGradient()
      .Cpu({.types = {{"T", compared}}, .make = MakeListDiffCpu})
      .Doc("The elements of x that are not in y.");
}

}  // namespace headrace
