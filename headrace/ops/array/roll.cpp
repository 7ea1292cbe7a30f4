#include "headrace/ops/array/roll.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/roll_kernels.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

Status RollShape(ShapeContext& c) {
  if (c.input(0).has_rank() && c.input(0).rank() < 1)
    return InvalidArgument("input must be 1-D or higher");
  for (int i : {1, 2}) {
    if (c.input(i).has_rank() && c.input(i).rank() > 1) {
      return InvalidArgument(i == 1 ? "shift" : "axis",
                             " must be a scalar or a 1-D vector. Found: ", c.input(i).ToString());
    }
  }
  return c.SetOutput(0, c.input(0));
}

Status RollGradient(GradContext& c) {
  const Output back = Neg(c.input(1), {}, c.where());
  c.Set(0, Roll(c.grad(), back, c.input(2), {}, c.where()));
  return absl::OkStatus();
}

}  // namespace

Output Roll(Output x, IntArg shift, IntArg axis, OpOptions o, Location where) {
  if (!x.valid() || !shift.valid() || !axis.valid()) return {};
  Graph& g = *x.graph();
  std::optional<OpScope> scope;
  if (!shift.is_output() || !axis.is_output()) scope.emplace(g, o.name, "Roll");
  const Output s = shift.In(g, "shift", DType::kInt32, where);
  const Output a = axis.In(g, "axis", DType::kInt32, where);
  return NodeBuilder(g, "Roll", scope.has_value() ? scope->op_name() : o.name, where)
      .Input(x)
      .Input(s)
      .Input(a)
      .Build();
}

void DefineRoll(OpRegistry& ops) {
  ops.Define("Roll")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tshift", kIndexTypes)
      .TypeAttr("Taxis", kIndexTypes)
      .Input("input", "T")
      .Input("shift", "Tshift")
      .Input("axis", "Taxis")
      .Output("output", "T")
      .Shape(RollShape)
      .Gradient(RollGradient)
      .Cpu({.types = {{"T", kMovedTypes}}, .make = MakeRollCpu})
      .Gpu({.types = {{"T", kGpuMovedTypes | kInt32Only}}, .host_args = {"shift", "axis"}})
      .Doc("Elements moved along axes, around the ends.");
}

}  // namespace headrace
