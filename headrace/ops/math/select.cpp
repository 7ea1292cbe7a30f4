#include "headrace/ops/math/select.h"

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/math/select_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

constexpr DTypeSet kSelectable =
    kCpuNumberTypes | kOnlyBool | kOnlyString | DTypeSet(DType::kResource);
constexpr DTypeSet kGpuSelectable = kGpuFloatsAndComplex | kSignedIndex | kOnlyBool;

Status SelectShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape data, c.input(1).MergedWith(c.input(2)));
  const PartialShape& condition = c.input(0);
  HR_RETURN_IF_ERROR(c.SetOutput(0, data));
  if (!condition.has_rank() || !data.has_rank() || condition.rank() == 0) return absl::OkStatus();
  if (condition.rank() == 1 && data.rank() != 1) {
    if (data.rank() == 0) {
      return InvalidArgument("condition must be a scalar where t and e are, got ",
                             condition.ToString());
    }
    return c.CheckEqualDims(condition[0], data[0], "length of condition", "dimension 0 of t and e");
  }
  HR_ASSIGN_OR_RETURN(const PartialShape all, condition.MergedWith(data));
  return c.SetOutput(0, all);
}

Status SelectV2Shape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape data, BroadcastShapes(c.input(1), c.input(2)));
  HR_ASSIGN_OR_RETURN(const PartialShape all, BroadcastShapes(c.input(0), data));
  return c.SetOutput(0, all);
}

Status SelectGradient(GradContext& c) {
  const Output condition = c.input(0), grad = c.grad();
  const Output zeros = ZerosLike(c.input(1), {}, c.where());
  c.Set(1, Select(condition, grad, zeros, {}, c.where()));
  c.Set(2, Select(condition, zeros, grad, {}, c.where()));
  return absl::OkStatus();
}

Status SelectV2Gradient(GradContext& c) {
  const Location where = c.where();
  const Output condition = c.input(0), grad = c.grad();
  const Output zeros = Zeros(c.graph(), Shape(), grad.value_dtype(), {}, where);
  Output output_shape;
  for (int i = 1; i <= 2; ++i) {
    const Output chosen = i == 1 ? SelectV2(condition, grad, zeros, {}, where)
                                 : SelectV2(condition, zeros, grad, {}, where);
    const Output shape = ShapeOf(c.input(i), {}, where);
    if (!output_shape.valid()) output_shape = ShapeOf(c.output(0), {}, where);
    const Output axes = BroadcastGradientArgs(shape, output_shape, {}, where).r0;
    c.Set(i, Reshape(ReduceSum(chosen, axes, {.keep_dims = true}, where), shape, {}, where));
  }
  return absl::OkStatus();
}

OpDef& DefineChoice(OpRegistry& ops, std::string_view name, KernelFactory make) {
  return ops.Define(name)
      .Input("condition", "bool")
      .Input("t", "T")
      .Input("e", "T")
      .Output("output", "T")
      .TypeAttr("T", kAllTypes)
      .InPlace(0, 1)
      .InPlace(0, 2)
      .Cpu({.types = {{"T", kSelectable}}, .make = make})
      .Gpu({.types = {{"T", kGpuSelectable}}});
}

}  // namespace

Output Select(Output condition, Output t, Output e, OpOptions o, Location where) {
  return NodeBuilder("Select", o.name, where).Input(condition).Input(t).Input(e).Build();
}
Output SelectV2(Output condition, Output t, Output e, OpOptions o, Location where) {
  return NodeBuilder("SelectV2", o.name, where).Input(condition).Input(t).Input(e).Build();
}

void DefineSelect(OpRegistry& ops) {
  DefineChoice(ops, "Select", MakeSelectCpu)
      .Shape(SelectShape)
      .Gradient(SelectGradient)
      .Doc("t where the condition is true, e elsewhere; a vector condition chooses rows.");
  DefineChoice(ops, "SelectV2", MakeSelectV2Cpu)
      .Shape(SelectV2Shape)
      .Gradient(SelectV2Gradient)
      .Doc("t where the condition is true, e elsewhere, with broadcasting.");
}

}  // namespace headrace
