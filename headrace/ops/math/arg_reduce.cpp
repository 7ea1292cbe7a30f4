#include "headrace/ops/math/arg_reduce.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/math/reduce_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

Status ArgReduceShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  const PartialShape& x = c.input(0);
  if (!x.has_rank()) return c.SetOutput(0, PartialShape());
  if (x.rank() == 0)
    return c.SetOutput(0, Shape());  // TensorFlow lets this pass here; the step refuses it
  const auto axis = c.InputAsInts(1);
  if (!axis.has_value()) return c.SetOutput(0, PartialShape::OfRank(x.rank() - 1));
  const int64_t asked = axis->front();
  if (asked < -x.rank() || asked >= x.rank()) {
    return InvalidArgument("Dimension (", asked, ") must be in the range [", -x.rank(), ", ",
                           x.rank(), "), where ", x.rank(),
                           " is the number of dimensions in the input.");
  }
  const int at = static_cast<int>(asked < 0 ? asked + x.rank() : asked);
  PartialShape y = PartialShape::OfRank(0);
  for (int d = 0; d < x.rank(); ++d) {
    if (d != at) y.Append(x[d]);
  }
  return c.SetOutput(0, y);
}

Output Make(std::string_view op, Output x, const IntArg& axis, const ArgReduceOptions& o,
            Location where) {
  if (!x.valid()) return {};
  if (axis.is_output()) {
    return NodeBuilder(op, o.name, where)
        .Input(x)
        .Input(axis.output())
        .Attr("output_type", o.output_type)
        .Build();
  }
  OpScope scope(*x.graph(), o.name, op);
  const Output dimension = axis.In(*x.graph(), "dimension", DType::kInt32, where);
  return NodeBuilder(op, scope.op_name(), where)
      .Input(x)
      .Input(dimension)
      .Attr("output_type", o.output_type)
      .Build();
}

void Define(OpRegistry& ops, std::string_view name, std::string_view doc) {
  ops.Define(name)
      .Input("input", "T")
      .Input("dimension", "Tidx")
      .Output("output", "output_type")
      .TypeAttr("T", kAttrNumberTypes)
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .TypeAttr("output_type", kIndexTypes, DType::kInt64)
      .Shape(ArgReduceShape)
      .NoGradient()
      .Cpu({.types = {{"T", kCpuRealTypes}}, .host_args = {"dimension"}, .make = MakeArgReduceCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"dimension"}})
      .Doc(doc);
}

}  // namespace

Output ArgMax(Output x, IntArg axis, ArgReduceOptions o, Location where) {
  return Make("ArgMax", x, axis, o, where);
}
Output ArgMin(Output x, IntArg axis, ArgReduceOptions o, Location where) {
  return Make("ArgMin", x, axis, o, where);
}

void DefineArgReduce(OpRegistry& ops) {
  Define(ops, "ArgMax", "Index of the largest element along an axis.");
  Define(ops, "ArgMin", "Index of the smallest element along an axis.");
}

}  // namespace headrace
