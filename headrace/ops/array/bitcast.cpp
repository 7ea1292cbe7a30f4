#include "headrace/ops/array/bitcast.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/bitcast_kernels.h"
#include "headrace/ops/array/device_types.h"

namespace headrace {
namespace {

Status ShapeFunction(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(
      const PartialShape out,
      BitcastShape(c.input(0), RemoveRef(c.node().input_type(0)), c.attrs().Get<DType>("type")));
  return c.SetOutput(0, out);
}

}  // namespace

Output Bitcast(Output x, DType type, OpOptions o, Location where) {
  return NodeBuilder("Bitcast", o.name, where).Input(x).Attr("type", type).Build();
}

void DefineBitcast(OpRegistry& ops) {
  const DTypeSet types = kNumberTypes | kQuantizedTypes;
  ops.Define("Bitcast")
      .TypeAttr("T", types)
      .TypeAttr("type", types)
      .Input("input", "T")
      .Output("output", "type")
      .Shape(ShapeFunction)
      .Cpu({.make = MakeBitcastCpu})
      .Gpu({})
      .Doc("The same bytes as another dtype.");
}

}  // namespace headrace
