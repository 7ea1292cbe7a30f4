#include "headrace/ops/array/index_math.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/index_math_kernels.h"

namespace headrace {
namespace {

Status SearchShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape sorted, c.WithRank(0, 2));
  HR_ASSIGN_OR_RETURN(PartialShape values, c.WithRank(1, 2));
  HR_RETURN_IF_ERROR(
      c.CheckEqualDims(sorted[0], values[0], "rows of sorted_inputs", "rows of values"));
  if (values[0] < 0) values.set_dim(0, sorted[0]);
  return c.SetOutput(0, values);
}

Status UnravelShape(ShapeContext& c) {
  const PartialShape& indices = c.input(0);
  HR_ASSIGN_OR_RETURN(const PartialShape dims, c.WithRank(1, 1));
  if (!indices.has_rank()) return c.SetOutput(0, PartialShape());
  if (indices.rank() > 1)
    return InvalidArgument("The indices can only be scalar or vector, got \"", indices.ToString(),
                           "\"");
  if (indices.rank() == 0) return c.SetOutput(0, {dims[0]});
  return c.SetOutput(0, {dims[0], indices[0]});
}

Output Search(std::string_view op, Output sorted, Output values, const SearchOptions& o,
              Location where) {
  return NodeBuilder(op, o.name, where)
      .Input(sorted)
      .Input(values)
      .Attr("out_type", o.out_type)
      .Build();
}

}  // namespace

Output LowerBound(Output sorted_inputs, Output values, SearchOptions o, Location where) {
  return Search("LowerBound", sorted_inputs, values, o, where);
}
Output UpperBound(Output sorted_inputs, Output values, SearchOptions o, Location where) {
  return Search("UpperBound", sorted_inputs, values, o, where);
}

Output UnravelIndex(Output indices, IntArg dims, OpOptions o, Location where) {
  if (!indices.valid() || !dims.valid()) return {};
  Graph& g = *indices.graph();
  std::optional<OpScope> scope;
  if (!dims.is_output()) scope.emplace(g, o.name, "UnravelIndex");
  const Output d = dims.In(g, "dims", indices.value_dtype(), where);
  return NodeBuilder(g, "UnravelIndex", scope.has_value() ? scope->op_name() : o.name, where)
      .Input(indices)
      .Input(d)
      .Build();
}

void DefineIndexMath(OpRegistry& ops) {
  for (const char* name : {"LowerBound", "UpperBound"}) {
    ops.Define(name)
        .TypeAttr("T", kAllTypes)
        .TypeAttr("out_type", kIndexTypes, DType::kInt32)
        .Input("sorted_inputs", "T")
        .Input("values", "T")
        .Output("output", "out_type")
        .Shape(SearchShape)
        .Cpu({.types = {{"T", kRealTypes}}, .make = MakeSearchCpu})
        .Gpu({.types = {{"T", kGpuFloatTypes | kIndexTypes}}})
        .Doc("Where values belong in sorted rows.");
  }
  ops.Define("UnravelIndex")
      .TypeAttr("Tidx", kIndexTypes, DType::kInt32)
      .Input("indices", "Tidx")
      .Input("dims", "Tidx")
      .Output("output", "Tidx")
      .Shape(UnravelShape)
      .Cpu({.make = MakeUnravelIndexCpu})
      .Doc("Flat indices as coordinates.");
}

}  // namespace headrace
