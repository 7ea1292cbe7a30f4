#include "headrace/ops/math/cumulative.h"

#include <limits>

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cumulative_kernels.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

Status CumulativeShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  const auto axis = c.InputAsInts(1);
  const int rank = c.input(0).rank();
  if (rank >= 0 && axis.has_value() && (axis->front() < -rank || axis->front() >= rank)) {
    return InvalidArgument("Expected scan axis in the range [", -rank, ", ", rank, "), but got ",
                           axis->front());
  }
  return SameShapeAsInput(c);
}

CumulativeOptions Backwards(const GradContext& c) {
  return {.exclusive = c.attrs().Get<bool>("exclusive"),
          .reverse = !c.attrs().Get<bool>("reverse")};
}

Status CumsumGradient(GradContext& c) {
  c.Set(0, Cumsum(c.grad(), c.input(1), Backwards(c), c.where()));
  return absl::OkStatus();
}

Status CumprodGradient(GradContext& c) {
  const Location where = c.where();
  const CumulativeOptions back = Backwards(c);
  const Output x = c.input(0), axis = c.input(1);
  const Output product =
      Cumprod(x, axis, {.exclusive = back.exclusive, .reverse = !back.reverse}, where);
  const Output scaled = Operand(product, where) * c.grad();
  const Output sum = Cumsum(scaled, axis, back, where);
  c.Set(0, Operand(sum, where) / x);
  return absl::OkStatus();
}

Output Make(std::string_view op, Output x, const IntArg& axis, const CumulativeOptions& o,
            Location where) {
  if (!x.valid()) return {};
  const auto build = [&](std::string_view name, Output at) {
    return NodeBuilder(op, name, where)
        .Input(x)
        .Input(at)
        .Attr("exclusive", o.exclusive)
        .Attr("reverse", o.reverse)
        .Build();
  };
  if (axis.is_output()) return build(o.name, axis.output());
  OpScope scope(*x.graph(), o.name, op);
  return build(scope.op_name(), axis.In(*x.graph(), "axis", DType::kInt32, where));
}

double LowestOf(DType type) {
  if (type == DType::kFloat16) return -65504;
  return type == DType::kFloat32 ? static_cast<double>(std::numeric_limits<float>::lowest())
                                 : std::numeric_limits<double>::lowest();
}

// The positive and the negative part of the gradient apart, so that each has a logarithm.
Status CumulativeLogsumexpGradient(GradContext& c) {
  const Location where = c.where();
  const Output x = c.input(0), axis = c.input(1), y = c.output(0), grad = c.grad();
  const CumulativeOptions back = Backwards(c);
  Graph& g = c.graph();
  const auto part = [&](bool positive) {
    const Output wanted = positive ? Greater(grad, 0, {}, where) : Less(grad, 0, {}, where);
    const Output size = positive ? grad : -Operand(grad, where);
    const Output log = Log(size, {}, where);
    const OpScope scope(g, "", "SelectV2");
    const Output lowest =
        ConstScalar(g, LowestOf(grad.value_dtype()), grad.value_dtype(), {.name = "e"}, where);
    return NodeBuilder(g, "SelectV2", scope.op_name(), where)
        .Input(wanted)
        .Input(log)
        .Input(lowest)
        .Build();
  };
  const Output log_positive = part(true), log_negative = part(false);
  const auto spread = [&](Output log_grad) {
    const Output relative = Operand(log_grad, where) - y;
    const Output sum = CumulativeLogsumexp(relative, axis, back, where);
    return Exp(Operand(sum, where) + x, {}, where);
  };
  const Output positive = spread(log_positive), negative = spread(log_negative);
  c.Set(0, Operand(positive, where) - negative);
  return absl::OkStatus();
}

void Define(OpRegistry& ops, std::string_view name, GradientFn gradient, std::string_view doc) {
  ops.Define(name)
      .Input("x", "T")
      .Input("axis", "Tidx")
      .Output("out", "T")
      .Attr("exclusive", false)
      .Attr("reverse", false)
      .TypeAttr("T", kAttrNumberTypes)
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Shape(CumulativeShape)
      .Gradient(gradient)
      .Cpu({.types = {{"T", kCpuNumberTypes}}, .make = MakeCumulativeCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"axis"}})
      .Doc(doc);
}

}  // namespace

Output Cumsum(Output x, IntArg axis, CumulativeOptions o, Location where) {
  return Make("Cumsum", x, axis, o, where);
}
Output Cumprod(Output x, IntArg axis, CumulativeOptions o, Location where) {
  return Make("Cumprod", x, axis, o, where);
}

Output CumulativeLogsumexp(Output x, IntArg axis, CumulativeOptions o, Location where) {
  return Make("CumulativeLogsumexp", x, axis, o, where);
}

void DefineCumulative(OpRegistry& ops) {
  Define(ops, "Cumsum", CumsumGradient, "Running sums along an axis.");
  Define(ops, "Cumprod", CumprodGradient, "Running products along an axis.");
  ops.Define("CumulativeLogsumexp")
      .Input("x", "T")
      .Input("axis", "Tidx")
      .Output("out", "T")
      .Attr("exclusive", false)
      .Attr("reverse", false)
      .TypeAttr("T", kIeeeFloats)
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Shape(CumulativeShape)
      .Gradient(CumulativeLogsumexpGradient)
      .Cpu({.make = MakeCumulativeCpu})
      .Gpu({.host_args = {"axis"}})
      .Doc("Logarithms of running sums of exponentials.");
}

}  // namespace headrace
