#include "headrace/ops/math/reduce.h"

#include <numeric>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/reduce_gradients.h"
#include "headrace/ops/math/reduce_kernels.h"
#include "headrace/ops/math/reduce_plan.h"
#include "headrace/ops/math/select.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/math/unary.h"

namespace headrace {
namespace {

Status ReduceShape(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  const bool keep_dims = c.attrs().Get<bool>("keep_dims");
  if (c.input(1).has_rank() && c.input(1).rank() > 1) {
    return InvalidArgument("reduction_indices must be a scalar or a vector, got shape ",
                           c.input(1).ToString());
  }
  if (!x.has_rank()) return c.SetOutput(0, PartialShape());
  const auto axes = c.InputAsInts(1);
  if (!axes.has_value()) {
    if (keep_dims) return c.SetOutput(0, PartialShape::OfRank(x.rank()));
    // Two axes and more may be the same one.
    const int64_t count = c.input(1).has_rank() ? c.input(1).num_elements() : -1;
    const bool known = count >= 0 && count <= 1 && count <= x.rank();
    return c.SetOutput(
        0, known ? PartialShape::OfRank(x.rank() - static_cast<int>(count)) : PartialShape());
  }
  HR_ASSIGN_OR_RETURN(const auto reduced, ReducedAxes(*axes, x.rank()));
  PartialShape y = PartialShape::OfRank(0);
  for (int d = 0; d < x.rank(); ++d) {
    if (!reduced[d]) y.Append(x[d]);
    if (reduced[d] && keep_dims) y.Append(1);
  }
  return c.SetOutput(0, y);
}

// All axes of x, as TensorFlow's Python functions give them to an op.
Output AllAxes(Output x, Location where) {
  Graph& g = *x.graph();
  if (!x.shape().has_rank()) {
    const Output rank = Rank(x, {}, where);
    return Range(g, 0, rank, 1, {.name = "range"}, where);
  }
  Tensor axes(DType::kInt32, {x.shape().rank()});
  std::iota(axes.data<int32_t>(), axes.data<int32_t>() + axes.num_elements(), 0);
  return Const(g, std::move(axes), {}, where);
}

Output Reduce(std::string_view op, Output x, const ReduceAxes& axes, const ReduceOptions& o,
              Location where) {
  if (!x.valid()) return {};
  const auto build = [&](std::string_view name, Output indices) {
    return NodeBuilder(op, name, where)
        .Input(x)
        .Input(indices)
        .Attr("keep_dims", o.keep_dims)
        .Build();
  };
  if (axes.all()) {
    const Output y = build(o.name, AllAxes(x, where));
    if (y.valid() && !o.keep_dims && !y.shape().is_fully_known()) {
      const Status scalar = y.graph()->RefineShape(y, Shape());
      if (!scalar.ok()) y.graph()->ReportError(scalar);
    }
    return y;
  }
  if (axes.arg().is_output()) return build(o.name, axes.arg().output());
  OpScope scope(*x.graph(), o.name, op);
  return build(scope.op_name(),
               axes.arg().In(*x.graph(), "reduction_indices", DType::kInt32, where));
}

OpDef& DefineReduction(OpRegistry& ops, std::string_view name, std::string_view type) {
  return ops.Define(name)
      .Input("input", type)
      .Input("reduction_indices", "Tidx")
      .Output("output", type)
      .Attr("keep_dims", false)
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Shape(ReduceShape);
}

void DefineNumeric(OpRegistry& ops, std::string_view name, DTypeSet cpu, DTypeSet gpu,
                   bool int32_on_host, GradientFn gradient, std::string_view doc) {
  OpDef& def = DefineReduction(ops, name, "T");
  def.TypeAttr("T", kAttrNumberTypes).Doc(doc);
  gradient == nullptr ? def.NoGradient() : def.Gradient(gradient);
  def.Cpu({.types = {{"T", cpu}}, .make = MakeReduceCpu});
  def.Gpu({.types = {{"T", gpu}}, .host_args = {"reduction_indices"}});
  if (int32_on_host)
    def.Gpu({.types = {{"T", kOnlyInt32}}, .host_args = {"input", "reduction_indices", "output"}});
}

void DefineBoolean(OpRegistry& ops, std::string_view name, std::string_view doc) {
  DefineReduction(ops, name, "bool")
      .NoGradient()
      .Cpu({.make = MakeReduceCpu})
      .Gpu({.host_args = {"reduction_indices"}})
      .Doc(doc);
}

}  // namespace

Output ReduceSum(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  return Reduce("Sum", x, axes, o, where);
}
Output ReduceMean(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  return Reduce("Mean", x, axes, o, where);
}
Output EuclideanNorm(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  return Reduce("EuclideanNorm", x, axes, o, where);
}
Output ReduceProd(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  return Reduce("Prod", x, axes, o, where);
}
Output ReduceMax(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  return Reduce("Max", x, axes, o, where);
}
Output ReduceMin(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  return Reduce("Min", x, axes, o, where);
}
Output ReduceAll(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  return Reduce("All", x, axes, o, where);
}
Output ReduceAny(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  return Reduce("Any", x, axes, o, where);
}

Output ReduceLogSumExp(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  if (!x.valid()) return {};
  NameScope scope(*x.graph(), o.name.empty() ? "ReduceLogSumExp" : o.name);
  const Output raw = ReduceMax(x, axes, {.keep_dims = true}, where);
  const Output finite = IsFinite(raw, {}, where);
  Output most = StopGradient(Select(finite, raw, ZerosLike(raw, {}, where), {}, where), {}, where);
  const Output sum =
      ReduceSum(Exp(Sub(x, most, {}, where), {}, where), axes, {.keep_dims = o.keep_dims}, where);
  const Output log = Log(sum, {}, where);
  if (!o.keep_dims) most = Reshape(most, ShapeOf(log, {}, where), {}, where);
  return Add(log, most, {}, where);
}

Output ReduceVariance(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  if (!x.valid()) return {};
  NameScope scope(*x.graph(), o.name.empty() ? "reduce_variance" : o.name);
  const Output mean = ReduceMean(x, axes, {.keep_dims = true}, where);
  const Output squares = Square(Sub(x, mean, {.name = "sub"}, where), {}, where);
  return ReduceMean(squares, axes, {.keep_dims = o.keep_dims}, where);
}

Output ReduceStd(Output x, ReduceAxes axes, ReduceOptions o, Location where) {
  if (!x.valid()) return {};
  NameScope scope(*x.graph(), o.name.empty() ? "reduce_std" : o.name);
  return Sqrt(ReduceVariance(x, axes, {.keep_dims = o.keep_dims}, where), {}, where);
}

void DefineReduce(OpRegistry& ops) {
  const DTypeSet sums = kGpuFloatsAndComplex | DTypeSet(DType::kInt64);
  DefineNumeric(ops, "Sum", kCpuNumberTypes, sums, true, SumGradient, "Sum over some axes.");
  DefineNumeric(ops, "Mean", kCpuNumberTypes, kGpuFloatsAndComplex, false, MeanGradient,
                "Mean over some axes.");
  DefineNumeric(ops, "EuclideanNorm", kCpuNumberTypes, kGpuFloatsAndComplex, false, nullptr,
                "Square root of the sum of squares over some axes.");
  DefineNumeric(ops, "Prod", kCpuNumberTypes, kGpuFloatsAndComplex, true, ProdGradient,
                "Product over some axes.");
  DefineNumeric(ops, "Max", kCpuRealTypes, kGpuFloatsAndInt64, true, ExtremeOverAxesGradient,
                "Maximum over some axes.");
  DefineNumeric(ops, "Min", kCpuRealTypes, kGpuFloatsAndInt64, true, ExtremeOverAxesGradient,
                "Minimum over some axes.");
  DefineBoolean(ops, "All", "Logical and over some axes.");
  DefineBoolean(ops, "Any", "Logical or over some axes.");
}

}  // namespace headrace
