#include "headrace/ops/array/concat.h"

#include <algorithm>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat_gradient.h"
#include "headrace/ops/array/concat_kernels.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/identity.h"

namespace headrace {
namespace {

Status ConcatShapeFrom(ShapeContext& c, int first, int axis_input) {
  HR_RETURN_IF_ERROR(c.CheckScalar(axis_input));
  const int n = c.num_inputs() - 1;
  PartialShape merged;
  int with_rank = -1;
  for (int i = 0; i < n; ++i) {
    const PartialShape& shape = c.input(first + i);
    if (!shape.has_rank()) continue;
    if (with_rank >= 0 && shape.rank() != c.input(first + with_rank).rank()) {
      return InvalidArgument("ConcatOp : Ranks of all input tensors should match: shape[",
                             with_rank, "] = ", c.input(first + with_rank).ToString(),
                             " vs. shape[", i, "] = ", shape.ToString());
    }
    if (with_rank < 0) with_rank = i;
  }
  if (with_rank < 0) return c.SetOutput(0, PartialShape());
  const int rank = c.input(first + with_rank).rank();
  const auto stated = c.InputAsInts(axis_input);
  if (!stated.has_value()) {
    if (rank == 0) return InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
    return c.SetOutput(0, PartialShape::OfRank(rank));
  }
  if (stated->front() < -rank || stated->front() >= rank) {
    return InvalidArgument("ConcatOp : Expected concatenating dimensions in the range [", -rank,
                           ", ", rank, "), but got ", stated->front());
  }
  const int axis = static_cast<int>(stated->front() < 0 ? stated->front() + rank : stated->front());
  merged = PartialShape::OfRank(rank);
  int64_t sum = 0;
  for (int i = 0; i < n; ++i) {
    PartialShape shape = c.input(first + i);
    if (!shape.has_rank()) shape = PartialShape::OfRank(rank);
    sum = sum < 0 || shape[axis] < 0 ? PartialShape::kUnknown : sum + shape[axis];
    shape.set_dim(axis, PartialShape::kUnknown);
    const auto both = merged.MergedWith(shape);
    if (!both.ok()) {
      return InvalidArgument(
          "ConcatOp : Dimensions of inputs should match: shape[0] = ", c.input(first).ToString(),
          " vs. shape[", i, "] = ", c.input(first + i).ToString());
    }
    merged = *both;
  }
  merged.set_dim(axis, sum);
  return c.SetOutput(0, merged);
}

Status ConcatShape(ShapeContext& c) {
  return ConcatShapeFrom(c, 1, 0);
}
Status ConcatV2Shape(ShapeContext& c) {
  return ConcatShapeFrom(c, 0, c.num_inputs() - 1);
}

Status ConcatOffsetShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  for (int i = 0; i < c.num_outputs(); ++i) {
    HR_ASSIGN_OR_RETURN(const PartialShape shape, c.WithRank(1 + i, 1));
    HR_RETURN_IF_ERROR(c.SetOutput(i, shape));
  }
  return absl::OkStatus();
}

Status PackShape(ShapeContext& c) {
  PartialShape merged;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const auto both = merged.MergedWith(c.input(i));
    if (!both.ok()) {
      return InvalidArgument(
          "Shapes of all inputs must match: values[0].shape = ", c.input(0).ToString(),
          " != values[", i, "].shape = ", c.input(i).ToString());
    }
    merged = *both;
  }
  if (!merged.has_rank()) return c.SetOutput(0, PartialShape());
  const int rank = merged.rank() + 1;
  const int64_t stated = c.attrs().Get<int64_t>("axis");
  if (stated < -rank || stated >= rank) {
    return InvalidArgument("axis = ", stated, " not in [", -rank, ", ", rank, ")");
  }
  if (rank > kMaxRank)
    return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions");
  const int axis = static_cast<int>(stated < 0 ? stated + rank : stated);
  PartialShape out = PartialShape::OfRank(0);
  for (int d = 0; d < axis; ++d) out.Append(merged[d]);
  out.Append(c.num_inputs());
  for (int d = axis; d < merged.rank(); ++d) out.Append(merged[d]);
  return c.SetOutput(0, out);
}

Status UnpackShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return NoShape(c);
  const int64_t stated = c.attrs().Get<int64_t>("axis"), num = c.attrs().Get<int64_t>("num");
  if (stated < -in.rank() || stated >= in.rank()) {
    return InvalidArgument("axis = ", stated, " not in [", -in.rank(), ", ", in.rank(), ")");
  }
  const int axis = static_cast<int>(stated < 0 ? stated + in.rank() : stated);
  if (in[axis] >= 0 && in[axis] != num) {
    return InvalidArgument("Input shape axis ", axis, " must equal ", num, ", got shape ",
                           in.ToString());
  }
  PartialShape out = PartialShape::OfRank(0);
  for (int d = 0; d < in.rank(); ++d) {
    if (d != axis) out.Append(in[d]);
  }
  for (int i = 0; i < c.num_outputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, out));
  return absl::OkStatus();
}

Status PackGradient(GradContext& c) {
  const std::vector<Output> grads =
      Unstack(c.grad(), {.axis = c.attrs().Get<int64_t>("axis"), .num = c.num_inputs()}, c.where());
  for (int i = 0; i < c.num_inputs() && i < static_cast<int>(grads.size()); ++i) c.Set(i, grads[i]);
  return absl::OkStatus();
}

Status UnpackGradient(GradContext& c) {
  std::vector<Output> grads;
  for (int i = 0; i < c.node().num_outputs(); ++i) grads.push_back(c.grad(i));
  c.Set(0, Stack(grads, {.axis = c.attrs().Get<int64_t>("axis")}, c.where()));
  return absl::OkStatus();
}

Status ConcatGradient(GradContext& c) {
  return SliceConcatGradient(c, 1, 0);
}
Status ConcatV2Gradient(GradContext& c) {
  return SliceConcatGradient(c, 0, c.num_inputs() - 1);
}

}  // namespace

Output Concat(std::span<const Output> values, IntArg axis, OpOptions o, Location where) {
  if (values.empty() || !axis.valid()) return {};
  if (!std::ranges::all_of(values, &Output::valid))  // says which, if none has said it before
    return NodeBuilder("ConcatV2", o.name, where).Inputs(values).Build();
  Graph& g = *values[0].graph();
  if (values.size() == 1) {
    const OpScope scope(g, o.name, "concat");
    axis.In(g, "concat_dim", DType::kInt32, where);
    return Identity(values[0], {.name = "concat"}, where);
  }
  if (axis.is_output()) {
    return NodeBuilder("ConcatV2", o.name.empty() ? "concat" : o.name, where)
        .Inputs(values)
        .Input(axis.output())
        .Build();
  }
  const OpScope scope(g, o.name, "concat");
  const Output a = axis.In(g, "axis", DType::kInt32, where);
  return NodeBuilder(g, "ConcatV2", scope.op_name(), where).Inputs(values).Input(a).Build();
}

std::vector<Output> ConcatOffset(Output axis, std::span<const Output> shapes, OpOptions o,
                                 Location where) {
  Node* node = NodeBuilder("ConcatOffset", o.name, where).Input(axis).Inputs(shapes).BuildNode();
  std::vector<Output> offsets(shapes.size());
  for (size_t i = 0; node != nullptr && i < offsets.size(); ++i)
    offsets[i] = node->output(static_cast<int>(i));
  return offsets;
}

Output Stack(std::span<const Output> values, StackOptions o, Location where) {
  return NodeBuilder("Pack", o.name.empty() ? "stack" : o.name, where)
      .Inputs(values)
      .Attr("axis", o.axis)
      .Build();
}

std::vector<Output> Unstack(Output value, UnstackOptions o, Location where) {
  if (!value.valid()) return {};
  int64_t num = o.num.value_or(PartialShape::kUnknown);
  if (!o.num.has_value() && value.shape().has_rank()) {
    const int rank = value.shape().rank();
    if (o.axis >= -rank && o.axis < rank)
      num = value.shape()[static_cast<int>(o.axis < 0 ? o.axis + rank : o.axis)];
  }
  if (num < 0) {
    value.graph()->ReportError(
        InvalidArgument("op 'Unpack' node '", o.name.empty() ? "unstack" : o.name, "' (",
                        where.ToString(), "): cannot infer num from shape ",
                        value.shape().ToString(), " along axis ", o.axis, "; state it"));
    return {};
  }
  Node* node = NodeBuilder("Unpack", o.name.empty() ? "unstack" : o.name, where)
                   .Input(value)
                   .Attr("num", num)
                   .Attr("axis", o.axis)
                   .BuildNode();
  std::vector<Output> parts(static_cast<size_t>(num));
  for (size_t i = 0; node != nullptr && i < parts.size(); ++i)
    parts[i] = node->output(static_cast<int>(i));
  return parts;
}

void DefineConcat(OpRegistry& ops) {
  const AttrDef n2{.name = "N", .kind = AttrKind::kInt, .minimum = 2};
  const AttrDef n1{.name = "N", .kind = AttrKind::kInt, .minimum = 1};
  const DTypeSet joined = kPlainTypes | kStringOnly;
  ops.Define("ConcatV2")
      .Attr(n2)
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .InputList("values", "T", "N")
      .Input("axis", "Tidx")
      .Output("output", "T")
      .Shape(ConcatV2Shape)
      .Gradient(ConcatV2Gradient)
      .Cpu({.types = {{"T", joined}}, .make = MakeConcatV2Cpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"axis"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"values", "axis", "output"}})
      .Doc("Tensors one after the other along an axis.");
  ops.Define("Concat")
      .Attr(n2)
      .TypeAttr("T", kAllTypes)
      .Input("concat_dim", "int32")
      .InputList("values", "T", "N")
      .Output("output", "T")
      .Shape(ConcatShape)
      .Gradient(ConcatGradient)
      .Cpu({.types = {{"T", joined}}, .make = MakeConcatCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"concat_dim"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"concat_dim", "values", "output"}})
      .Doc("ConcatV2 with the axis as first input.");
  ops.Define("ConcatOffset")
      .Attr(n2)
      .Input("concat_dim", "int32")
      .InputList("shape", "int32", "N")
      .OutputList("offset", "int32", "N")
      .Shape(ConcatOffsetShape)
      .NoGradient()
      .Cpu({.make = MakeConcatOffsetCpu})
      .Gpu({.host_args = {"concat_dim", "shape", "offset"}})
      .Doc("Where tensors of these shapes begin in their concatenation.");
  ops.Define("Pack")
      .Attr(n1)
      .TypeAttr("T", kAllTypes)
      .Attr("axis", int64_t{0})
      .InputList("values", "T", "N")
      .Output("output", "T")
      .Shape(PackShape)
      .Gradient(PackGradient)
      .Cpu({.types = {{"T", kMovedTypes}}, .make = MakePackCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"values", "output"}})
      .Doc("Tensors of one shape along a new axis.");
  ops.Define("Unpack")
      .Attr(AttrDef{.name = "num", .kind = AttrKind::kInt, .minimum = 0})
      .TypeAttr("T", kAllTypes)
      .Attr("axis", int64_t{0})
      .Input("value", "T")
      .OutputList("output", "T", "num")
      .Shape(UnpackShape)
      .Gradient(UnpackGradient)
      .Cpu({.types = {{"T", kMovedTypes}}, .make = MakeUnpackCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"value", "output"}})
      .Doc("The parts of a tensor along an axis.");
}

}  // namespace headrace
