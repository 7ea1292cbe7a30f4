#include "headrace/ops/math/histogram.h"

#include <algorithm>

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/math/histogram_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes = kFloat32And64 | kSignedIndex;

Status BincountShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  const auto size = c.InputAsInts(1);
  if (!size.has_value()) return c.SetOutput(0, {PartialShape::kUnknown});
  if (size->front() < 0) return InvalidArgument("size (", size->front(), ") must be non-negative");
  return c.SetOutput(0, {size->front()});
}

Status BucketizeShape(ShapeContext& c) {
  const auto& boundaries = c.attrs().Get<AttrValue::Floats>("boundaries");
  if (!std::is_sorted(boundaries.begin(), boundaries.end()))
    return InvalidArgument("Expected sorted boundaries");
  return SameShapeAsInput(c);
}

Status HistogramShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape range, c.WithRank(1, 1));
  if (range[0] >= 0 && range[0] != 2)
    return InvalidArgument("value_range should have 2 numbers, got ", range[0]);
  HR_RETURN_IF_ERROR(c.CheckScalar(2));
  const auto nbins = c.InputAsInts(2);
  if (!nbins.has_value()) return c.SetOutput(0, {PartialShape::kUnknown});
  if (nbins->front() <= 0)
    return InvalidArgument("nbins should be a positive number, but got '", nbins->front(), "'");
  return c.SetOutput(0, {nbins->front()});
}

}  // namespace

Output Bincount(Output arr, IntArg size, BincountOptions o, Location where) {
  if (!arr.valid() || !size.valid()) return {};
  Graph& g = *arr.graph();
  const OpScope scope(g, o.name, "Bincount");
  const Output n = size.In(g, "size", DType::kInt32, where);
  const Output weights =
      o.weights.valid() ? o.weights : Const(g, Tensor(o.dtype, {0}), {.name = "weights"}, where);
  return NodeBuilder(g, "Bincount", scope.op_name(), where)
      .Input(arr)
      .Input(n)
      .Input(weights)
      .Build();
}

Output Bucketize(Output input, std::vector<float> boundaries, OpOptions o, Location where) {
  return NodeBuilder("Bucketize", o.name, where)
      .Input(input)
      .Attr("boundaries", std::move(boundaries))
      .Build();
}

Output HistogramFixedWidth(Output values, Output value_range, IntArg nbins, HistogramOptions o,
                           Location where) {
  if (!values.valid() || !nbins.valid()) return {};
  Graph& g = *values.graph();
  std::optional<OpScope> scope;
  if (!nbins.is_output()) scope.emplace(g, o.name, "HistogramFixedWidth");
  const Output n = nbins.In(g, "nbins", DType::kInt32, where);
  return NodeBuilder(g, "HistogramFixedWidth", scope.has_value() ? scope->op_name() : o.name, where)
      .Input(values)
      .Input(value_range)
      .Input(n)
      .Attr("dtype", o.dtype)
      .Build();
}

void DefineHistogram(OpRegistry& ops) {
  ops.Define("Bincount")
      .Input("arr", "int32")
      .Input("size", "int32")
      .Input("weights", "T")
      .Output("bins", "T")
      .TypeAttr("T", kTypes)
      .Shape(BincountShape)
      .Cpu({.make = MakeBincountCpu})
      .Gpu({.types = {{"T", DTypeSet{DType::kInt32, DType::kFloat32}}}, .host_args = {"size"}})
      .Doc("How often each number occurs.");
  ops.Define("Bucketize")
      .Input("input", "T")
      .Output("output", "int32")
      .TypeAttr("T", kTypes)
      .Attr("boundaries", AttrKind::kFloatList)
      .Shape(BucketizeShape)
      .Cpu({.make = MakeBucketizeCpu})
      .Gpu({.types = {{"T", kTypes}}})
      .Doc("Between which boundaries numbers lie.");
  ops.Define("HistogramFixedWidth")
      .Input("values", "T")
      .Input("value_range", "T")
      .Input("nbins", "int32")
      .Output("out", "dtype")
      .TypeAttr("T", kTypes)
      .TypeAttr("dtype", kIndexTypes, DType::kInt32)
      .Shape(HistogramShape)
      .Cpu({.make = MakeHistogramCpu})
      .Doc("How many numbers fall into bins of equal width.");
}

}  // namespace headrace
