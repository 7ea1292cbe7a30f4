#include "headrace/ops/array/data_format.h"

#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/data_format_kernels.h"

namespace headrace {
namespace {

Status PermuteShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (in.has_rank() && in.rank() != 1 && in.rank() != 2) {
    return InvalidArgument("input must be a vector or 2D tensor, but got shape ", in.ToString());
  }
  return c.SetOutput(0, in);
}

Output BuildNode(std::string_view op, Output x, const DataFormatOptions& o, Location where) {
  return NodeBuilder(op, o.name, where)
      .Input(x)
      .Attr("src_format", o.src_format)
      .Attr("dst_format", o.dst_format)
      .Build();
}

OpDef& Define(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .TypeAttr("T", kIndexTypes, DType::kInt32)
      .Attr("src_format", "NHWC")
      .Attr("dst_format", "NCHW")
      .Input("x", "T")
      .Output("y", "T")
      .NoGradient()
      .Gpu({.types = {{"T", kIndexTypes}}});
}

}  // namespace

Output DataFormatDimMap(Output x, DataFormatOptions o, Location where) {
  return BuildNode("DataFormatDimMap", x, o, where);
}
Output DataFormatVecPermute(Output x, DataFormatOptions o, Location where) {
  return BuildNode("DataFormatVecPermute", x, o, where);
}

void DefineDataFormat(OpRegistry& ops) {
  Define(ops, "DataFormatDimMap")
      .Shape(SameShapeAsInput)
      .Cpu({.types = {{"T", kIndexTypes}}, .make = MakeDataFormatDimMapCpu})
      .Doc("The numbers of dimensions in another layout.");
  Define(ops, "DataFormatVecPermute")
      .Shape(PermuteShape)
      .Cpu({.types = {{"T", kIndexTypes}}, .make = MakeDataFormatVecPermuteCpu})
      .Doc("Values by dimension, in the order of another layout.");
}

}  // namespace headrace
