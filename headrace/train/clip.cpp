#include "headrace/train/clip.h"

#include <limits>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/train/internal/nodes.h"

namespace headrace {
namespace {

using train::Call;

Output Values(const Gradient& g) {
  return g.slices ? g.slices->values : g.dense;
}

Gradient WithValues(const Gradient& g, Output values) {
  Gradient result = g;
  (g.slices ? result.slices->values : result.dense) = values;
  return result;
}

// A function of a tensor and a number: the constant "<op>/y", of the tensor's dtype.
Output WithNumber(std::string_view op, Output x, const Operand& y, Location where) {
  return train::Operator(op, op, x, y, where);
}

}  // namespace

Gradient ClipByValue(const Gradient& g, Operand low, Operand high, OpOptions o, Location where) {
  Output values = Values(g);
  if (!values.valid()) return g;
  Graph& graph = *values.graph();
  OpScope scope(graph, o.name, "clip_by_value");
  Output capped = high.is_tensor() ? Call("Minimum", {values, high.output()}, where)
                                   : WithNumber("Minimum", values, high, where);
  Output least = low.In(graph, "y", values.value_dtype(), where);
  return WithValues(g, Call("Maximum", {capped, least}, where, scope.op_name()));
}

Gradient ClipByNorm(const Gradient& g, Operand clip_norm, ClipByNormOptions o, Location where) {
  Output values = Values(g);
  if (!values.valid()) return g;
  OpScope scope(*values.graph(), o.name, "clip_by_norm");
  Output squares = train::Mul(values, values, where);
  ReduceAxes axes = o.axes ? ReduceAxes(*o.axes) : ReduceAxes();
  Output sum = ReduceSum(squares, axes, {.keep_dims = true}, where);
  Output positive = WithNumber("Greater", sum, 0, where);
  // The derivative of a root at zero is infinite: zeros take another way.
  Output safe = Call("Select", {positive, sum, OnesLike(sum, {}, where)}, where);
  Output norm = Call("Select", {positive, Call("Sqrt", {safe}, where), sum}, where);
  Output scaled = train::Mul(values, clip_norm, where);
  Output largest = clip_norm.is_tensor() ? Call("Maximum", {norm, clip_norm.output()}, where)
                                         : WithNumber("Maximum", norm, clip_norm, where);
  return WithValues(g,
                    Call("Identity", {train::Div(scaled, largest, where)}, where, scope.op_name()));
}

Gradient ClipByAverageNorm(const Gradient& g, Operand clip_norm, OpOptions o, Location where) {
  Output values = Values(g);
  if (!values.valid()) return g;
  Graph& graph = *values.graph();
  OpScope scope(graph, o.name, "clip_by_average_norm");
  Output count = train::CastTo(Size(values, {}, where), DType::kFloat32, where);
  count = train::CastTo(count, values.value_dtype(), where);
  Output squares = train::Mul(values, values, where);
  Output inverse = Call("Rsqrt", {ReduceSum(squares, {}, {}, where)}, where);
  Output scaled = train::Mul(values, clip_norm, where);
  Output per_norm = train::Mul(inverse, count, where);
  Output one = ConstScalar(graph, 1, values.value_dtype(), {}, where);
  Output least = Call("Minimum", {per_norm, train::Div(one, clip_norm, where)}, where);
  return WithValues(g,
                    Call("Identity", {train::Mul(scaled, least, where)}, where, scope.op_name()));
}

Output GlobalNorm(std::span<const Gradient> gradients, OpOptions o, Location where) {
  std::vector<Output> values;
  for (const Gradient& g : gradients) {
    if (Values(g).valid()) values.push_back(Values(g));
  }
  if (values.empty()) return {};
  Graph& graph = *values.front().graph();
  OpScope scope(graph, o.name, "global_norm");
  std::vector<Output> halves;
  for (Output value : values) {
    ColocateWith colocate(graph, *value.node);
    halves.push_back(Call("L2Loss", {value}, where));
  }
  Output stacked = NodeBuilder("Pack", "stack", where).Inputs(halves).Build();
  Output sum = ReduceSum(stacked, {}, {}, where);
  Output two = ConstScalar(graph, 2, values.front().value_dtype(), {}, where);
  return Call("Sqrt", {train::Mul(sum, two, where)}, where, "global_norm");
}

ClippedGradients ClipByGlobalNorm(std::span<const Gradient> gradients, Operand clip_norm,
                                  ClipByGlobalNormOptions o, Location where) {
  ClippedGradients result{{gradients.begin(), gradients.end()}, o.use_norm};
  if (!result.global_norm.valid())
    result.global_norm = GlobalNorm(gradients, {.name = o.name}, where);
  if (!result.global_norm.valid()) return result;
  const Output norm = result.global_norm;
  Graph& graph = *norm.graph();
  OpScope scope(graph, o.name, "clip_by_global_norm");
  Output inverse = train::Div(1.0, norm, where);
  Output one = ConstScalar(graph, 1, norm.value_dtype(), {}, where);
  Output least = Call("Minimum", {inverse, train::Div(one, clip_norm, where)}, where);
  Output finite_scale = train::Mul(clip_norm, least, where);
  Output finite = Call("IsFinite", {norm}, where);
  Output nan =
      ConstScalar(graph, std::numeric_limits<double>::quiet_NaN(), norm.value_dtype(), {}, where);
  Output scale = Call("Select", {finite, finite_scale, nan}, where);
  for (size_t i = 0; i < gradients.size(); ++i) {
    Output value = Values(gradients[i]);
    if (!value.valid()) continue;
    ColocateWith colocate(graph, *value.node);
    Output scaled = train::Mul(value, train::CastTo(scale, value.value_dtype(), where), where);
    const std::string name = StrCat(scope.op_name(), "_", i);
    result.gradients[i] = WithValues(gradients[i], Call("Identity", {scaled}, where, name));
  }
  return result;
}

Output ClipByGlobalNorm(std::vector<GradientAndVariable>& gradients, Operand clip_norm,
                        ClipByGlobalNormOptions o, Location where) {
  std::vector<Gradient> list;
  for (const GradientAndVariable& entry : gradients) list.push_back(entry.gradient);
  ClippedGradients clipped = ClipByGlobalNorm(list, clip_norm, std::move(o), where);
  for (size_t i = 0; i < gradients.size(); ++i) gradients[i].gradient = clipped.gradients[i];
  return clipped.global_norm;
}

}  // namespace headrace
