#include "headrace/ops/math/clip.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/clip_kernels.h"
#include "headrace/ops/math/math_gradients.h"
#include "headrace/ops/math/select.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

constexpr DTypeSet kClippable = kCpuRealTypes - kOnlyBFloat16;
constexpr DTypeSet kGpuClippable =
    kGpuFloatTypes |
    DTypeSet{DType::kInt8, DType::kInt16, DType::kInt64, DType::kUInt8, DType::kUInt16};

Status ClipShape(ShapeContext& c) {
  PartialShape shape = c.input(0);
  for (int i = 1; i <= 2; ++i) {
    if (!c.input(i).has_rank() || c.input(i).rank() == 0) continue;
    HR_ASSIGN_OR_RETURN(shape, shape.MergedWith(c.input(i)));
  }
  return c.SetOutput(0, shape);
}

Status ClipGradient(GradContext& c) {
  const Location where = c.where();
  const Output x = c.input(0), low = c.input(1), high = c.input(2), grad = c.grad();
  const Output sx = ShapeOf(x, {}, where), sy = ShapeOf(low, {}, where),
               sz = ShapeOf(high, {}, where);
  const Output zeros = Zeros(c.graph(), ShapeOf(grad, {}, where), grad.value_dtype(), {}, where);
  const Output below = Less(x, low, {}, where), above = Greater(x, high, {}, where);
  const OperandGradients with_low(sx, sy, where), with_high(sx, sz, where);
  const Output gx = Select(LogicalOr(below, above, {}, where), zeros, grad, {}, where);
  const Output gy = Select(below, grad, zeros, {}, where);
  const Output gz = Select(above, grad, zeros, {}, where);
  c.Set(0, with_low.Reduce(0, gx));
  c.Set(1, with_low.Reduce(1, gy));
  c.Set(2, with_high.Reduce(1, gz));
  return absl::OkStatus();
}

}  // namespace

Output ClipByValue(Output t, Operand low, Operand high, OpOptions o, Location where) {
  if (!t.valid()) return {};
  if (low.is_tensor() && high.is_tensor()) {
    return NodeBuilder("ClipByValue", o.name, where)
        .Input(t)
        .Input(low.output())
        .Input(high.output())
        .Build();
  }
  OpScope scope(*t.graph(), o.name, "ClipByValue");
  const Output least = low.In(*t.graph(), "clip_value_min", t.value_dtype(), where);
  const Output most = high.In(*t.graph(), "clip_value_max", t.value_dtype(), where);
  if (!least.valid() || !most.valid()) return {};
  return NodeBuilder("ClipByValue", scope.op_name(), where)
      .Input(t)
      .Input(least)
      .Input(most)
      .Build();
}

void DefineClip(OpRegistry& ops) {
  ops.Define("ClipByValue")
      .Input("t", "T")
      .Input("clip_value_min", "T")
      .Input("clip_value_max", "T")
      .Output("output", "T")
      .TypeAttr("T", kAttrNumberTypes)
      .Shape(ClipShape)
      .Gradient(ClipGradient)
      .InPlace(0, 0)
      .Cpu({.types = {{"T", kClippable}}, .make = MakeClipByValueCpu})
      .Gpu({.types = {{"T", kGpuClippable}}})
      .Gpu({.types = {{"T", kOnlyInt32}},
            .host_args = {"t", "clip_value_min", "clip_value_max", "output"}})
      .Doc("Elements kept within bounds.");
}

}  // namespace headrace
