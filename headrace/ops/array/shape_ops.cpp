#include "headrace/ops/array/shape_ops.h"

#include <algorithm>

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/broadcast_axes.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/shape_ops_kernels.h"

namespace headrace {
namespace {

Status ShapeOpShape(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    const int rank = c.input(i).rank();
    HR_RETURN_IF_ERROR(c.SetOutput(i, {rank < 0 ? PartialShape::kUnknown : rank}));
  }
  return absl::OkStatus();
}

Status BroadcastGradientArgsShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  HR_RETURN_IF_ERROR(c.WithRank(1, 1).status());
  const auto s0 = c.InputAsInts(0);
  const auto s1 = c.InputAsInts(1);
  if (!s0.has_value() || !s1.has_value()) {
    HR_RETURN_IF_ERROR(c.SetOutput(0, {PartialShape::kUnknown}));
    return c.SetOutput(1, {PartialShape::kUnknown});
  }
  HR_ASSIGN_OR_RETURN(const BroadcastReduction axes, ReductionOfBroadcast(*s0, *s1));
  HR_RETURN_IF_ERROR(c.SetOutput(0, {axes.size0}));
  return c.SetOutput(1, {axes.size1});
}

Status BroadcastArgsShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape s0, c.WithRank(0, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape s1, c.WithRank(1, 1));
  const bool known = s0[0] >= 0 && s1[0] >= 0;
  return c.SetOutput(0, {known ? std::max(s0[0], s1[0]) : PartialShape::kUnknown});
}

Output KnownInts(Output x, std::string_view default_name, const ShapeOptions& o, Tensor value,
                 Location where) {
  return Const(*x.graph(), std::move(value),
               {.name = o.name.empty() ? std::string(default_name) : o.name}, where);
}

Tensor OneInt(DType type, int64_t value) {
  return ScalarTensor(static_cast<double>(value), type);
}

}  // namespace

Output ShapeOf(Output x, ShapeOptions o, Location where) {
  if (!x.valid()) return {};
  if (o.optimize && x.shape().is_fully_known()) {
    Tensor value(o.out_type, {x.shape().rank()});
    StoreInts(x.shape().dims(), value);
    return KnownInts(x, "Shape", o, std::move(value), where);
  }
  return NodeBuilder("Shape", o.name, where).Input(x).Attr("out_type", o.out_type).Build();
}

std::vector<Output> ShapeN(std::span<const Output> inputs, ShapeOptions o, Location where) {
  Node* node =
      NodeBuilder("ShapeN", o.name, where).Inputs(inputs).Attr("out_type", o.out_type).BuildNode();
  std::vector<Output> outputs(inputs.size());
  for (size_t i = 0; node != nullptr && i < outputs.size(); ++i)
    outputs[i] = node->output(static_cast<int>(i));
  return outputs;
}

Output Size(Output x, ShapeOptions o, Location where) {
  if (!x.valid()) return {};
  if (o.optimize && x.shape().is_fully_known()) {
    return KnownInts(x, "Size", o, OneInt(o.out_type, x.shape().num_elements()), where);
  }
  return NodeBuilder("Size", o.name, where).Input(x).Attr("out_type", o.out_type).Build();
}

Output Rank(Output x, ShapeOptions o, Location where) {
  if (!x.valid()) return {};
  if (o.optimize && x.shape().has_rank()) {
    return KnownInts(x, "Rank", o, OneInt(DType::kInt32, x.shape().rank()), where);
  }
  return NodeBuilder("Rank", o.name, where).Input(x).Build();
}

BroadcastAxes BroadcastGradientArgs(Output s0, Output s1, OpOptions o, Location where) {
  Node* node = NodeBuilder("BroadcastGradientArgs", o.name, where).Input(s0).Input(s1).BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

Output BroadcastArgs(Output s0, Output s1, OpOptions o, Location where) {
  return NodeBuilder("BroadcastArgs", o.name, where).Input(s0).Input(s1).Build();
}

void DefineShapeOps(OpRegistry& ops) {
  ops.Define("Shape")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("out_type", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Output("output", "out_type")
      .Shape(ShapeOpShape)
      .NoGradient()
      .Cpu({.make = MakeShapeCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes | DTypeSet(DType::kVariant)}}, .host_args = {"output"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "output"}})
      .Doc("The shape of a tensor.");
  ops.Define("ShapeN")
      .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAllTypes)
      .TypeAttr("out_type", kIndexTypes, DType::kInt32)
      .InputList("input", "T", "N")
      .OutputList("output", "out_type", "N")
      .Shape(ShapeOpShape)
      .NoGradient()
      .Cpu({.make = MakeShapeCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"output"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "output"}})
      .Doc("The shapes of several tensors.");
  ops.Define("Size")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("out_type", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Output("output", "out_type")
      .Shape(ScalarShape)
      .NoGradient()
      .Cpu({.make = MakeSizeCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"output"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "output"}})
      .Doc("The number of elements of a tensor.");
  ops.Define("Rank")
      .TypeAttr("T", kAllTypes)
      .Input("input", "T")
      .Output("output", "int32")
      .Shape(ScalarShape)
      .NoGradient()
      .Cpu({.make = MakeRankCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}, .host_args = {"output"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "output"}})
      .Doc("The number of dimensions of a tensor.");
  ops.Define("BroadcastGradientArgs")
      .TypeAttr("T", kIndexTypes, DType::kInt32)
      .Input("s0", "T")
      .Input("s1", "T")
      .Output("r0", "T")
      .Output("r1", "T")
      .Shape(BroadcastGradientArgsShape)
      .NoGradient()
      .Cpu({.make = MakeBroadcastGradientArgsCpu})
      .Gpu({.host_args = {"s0", "s1", "r0", "r1"}})
      .Doc("Axes to sum the gradient of a broadcast over, for each operand.");
  ops.Define("BroadcastArgs")
      .TypeAttr("T", kIndexTypes, DType::kInt32)
      .Input("s0", "T")
      .Input("s1", "T")
      .Output("r0", "T")
      .Shape(BroadcastArgsShape)
      .NoGradient()
      .Cpu({.make = MakeBroadcastArgsCpu})
      .Gpu({.host_args = {"s0", "s1", "r0"}})
      .Doc("The shape of two shapes broadcast together.");
}

}  // namespace headrace
