#include "headrace/ops/array/identity.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/identity_kernels.h"

namespace headrace {
namespace {

Status SameShapes(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, c.input(i)));
  return absl::OkStatus();
}

Status EnsuredShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape shape,
                      c.input(0).MergedWith(c.attrs().Get<PartialShape>("shape")));
  return c.SetOutput(0, shape);
}

Status PassGradient(GradContext& c) {
  if (c.gradient(0).slices.has_value()) {
    c.Set(0, *c.gradient(0).slices);
  } else {
    c.Set(0, c.grad());
  }
  return absl::OkStatus();
}

Status PassGradients(GradContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (IsFloating(c.input(i).value_dtype()) || IsComplex(c.input(i).value_dtype()))
      c.Set(i, c.grad(i));
  }
  return absl::OkStatus();
}

Status NoGradientAllowed(GradContext& c) {
  return NotFound("Gradient explicitly disabled. Reason: ", c.attrs().Get<std::string>("message"));
}

Output Forwarding(std::string_view op, Output x, const OpOptions& o, Location where) {
  return NodeBuilder(op, o.name, where).Input(x).Build();
}

OpDef& DefineForwarding(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .TypeAttr("T", kAllTypes)
      .Input("input", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput)
      .Forwards(0, 0)
      .Cpu({.make = MakeIdentityCpu})
      .Gpu({.types = {{"T", kForwardedOnGpu}}})
      .Gpu({.types = {{"T", kForwardedOnHost}}, .host_args = {"input", "output"}});
}

}  // namespace

Output Identity(Output x, OpOptions o, Location where) {
  return Forwarding("Identity", x, o, where);
}
Output StopGradient(Output x, OpOptions o, Location where) {
  return Forwarding("StopGradient", x, o, where);
}
Output Snapshot(Output x, OpOptions o, Location where) {
  return Forwarding("Snapshot", x, o, where);
}
Output DeepCopy(Output x, OpOptions o, Location where) {
  return Forwarding("DeepCopy", x, o, where);
}
Output GuaranteeConst(Output x, OpOptions o, Location where) {
  return Forwarding("GuaranteeConst", x, o, where);
}
Output DebugGradientIdentity(Output x, OpOptions o, Location where) {
  return Forwarding("DebugGradientIdentity", x, o, where);
}
Output RefIdentity(Output ref, OpOptions o, Location where) {
  return Forwarding("RefIdentity", ref, o, where);
}

std::vector<Output> IdentityN(std::span<const Output> inputs, OpOptions o, Location where) {
  Node* node = NodeBuilder("IdentityN", o.name, where).Inputs(inputs).BuildNode();
  std::vector<Output> outputs(inputs.size());
  for (size_t i = 0; node != nullptr && i < outputs.size(); ++i)
    outputs[i] = node->output(static_cast<int>(i));
  return outputs;
}

Output PreventGradient(Output x, PreventGradientOptions o, Location where) {
  return NodeBuilder("PreventGradient", o.name, where).Input(x).Attr("message", o.message).Build();
}

Output EnsureShape(Output x, PartialShape shape, OpOptions o, Location where) {
  return NodeBuilder("EnsureShape", o.name, where).Input(x).Attr("shape", shape).Build();
}

void DefineIdentity(OpRegistry& ops) {
  DefineForwarding(ops, "Identity").Gradient(PassGradient).Doc("Its input.");
  DefineForwarding(ops, "StopGradient")
      .NoGradient()
      .Doc("Its input, which gradients treat as a constant.");
  DefineForwarding(ops, "PreventGradient")
      .Attr("message", "")
      .Gradient(NoGradientAllowed)
      .Doc("Its input; asking for a gradient through it is an error.");
  ops.Define("IdentityN")
      .Attr(AttrDef{.name = "T", .kind = AttrKind::kTypeList, .minimum = 1})
      .Input("input", "T")
      .Output("output", "T")
      .Shape(SameShapes)
      .Gradient(PassGradients)
      .Cpu({.make = MakeIdentityNCpu})
      .Gpu({.make = nullptr})
      .Doc("Its inputs, when all are there.");
  const DTypeSet copied = kCommonNumberTypes | kBoolOnly;
  ops.Define("Snapshot")
      .TypeAttr("T", kAllTypes)
      .Input("input", "T")
      .Output("output", "T")
      .Shape(SameShapeAsInput)
      .Gradient(PassGradient)
      .InPlace(0, 0)
      .Cpu({.types = {{"T", copied}}, .make = MakeSnapshotCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}})
      .Doc("A copy of its input.");
  ops.Define("EnsureShape")
      .Attr("shape", AttrKind::kShape)
      .TypeAttr("T", kAllTypes)
      .Input("input", "T")
      .Output("output", "T")
      .Shape(EnsuredShape)
      .Gradient(PassGradient)
      .Forwards(0, 0)
      .Cpu({.make = MakeEnsureShapeCpu})
      .Gpu({.types = {{"T", kForwardedOnGpu}}})
      .Gpu({.types = {{"T", kForwardedOnHost}}, .host_args = {"input", "output"}})
      .Doc("Its input, after checking its shape.");
  ops.Define("DeepCopy")
      .TypeAttr("T", kAllTypes)
      .Input("x", "T")
      .Output("y", "T")
      .Shape(SameShapeAsInput)
      .Stateful()
      .Cpu({.types = {{"T", kMovedTypes}}, .make = MakeSnapshotCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes}}})
      .Doc("A copy of its input that shares no memory with it.");
  DefineForwarding(ops, "GuaranteeConst")
      .Stateful()
      .Doc("Its input, which the program states to be the same in every step.");
  DefineForwarding(ops, "DebugGradientIdentity")
      .Gradient(PassGradient)
      .AllowsUninitialized()
      .Doc("Its input, a mark for debuggers of gradients.");
  ops.Define("DebugGradientRefIdentity")
      .TypeAttr("T", kAllTypes)
      .RefInput("input", "T")
      .RefOutput("output", "T")
      .Shape(SameShapeAsInput)
      .AllowsUninitialized()
      .Cpu({.make = MakeRefIdentityCpu})
      .Gpu({.types = {{"T", kForwardedOnGpu}}})
      .Doc("The variable itself, a mark for debuggers of gradients.");
  ops.Define("RefIdentity")
      .TypeAttr("T", kAllTypes)
      .RefInput("input", "T")
      .RefOutput("output", "T")
      .Shape(SameShapeAsInput)
      .Gradient(PassGradient)
      .AllowsUninitialized()
      .Cpu({.make = MakeRefIdentityCpu})
      .Gpu({.types = {{"T", kForwardedOnGpu}}})
      .Doc("The variable itself.");
}

}  // namespace headrace
