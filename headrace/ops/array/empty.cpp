#include "headrace/ops/array/empty.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/empty_kernels.h"

namespace headrace {
namespace {

Status EmptyShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  HR_ASSIGN_OR_RETURN(const PartialShape shape, c.InputAsShape(0));
  return c.SetOutput(0, shape);
}

Status StatedShape(ShapeContext& c) {
  return c.SetOutput(0, c.attrs().Get<PartialShape>("shape"));
}

}  // namespace

Output Empty(Graph& g, IntArg shape, DType dtype, EmptyOptions o, Location where) {
  if (!shape.valid()) return {};
  std::optional<OpScope> scope;
  if (!shape.is_output()) scope.emplace(g, o.name, "Empty");
  const Output dims = shape.In(g, "shape", DType::kInt32, where);
  return NodeBuilder(g, "Empty", scope.has_value() ? scope->op_name() : o.name, where)
      .Input(dims)
      .Attr("dtype", dtype)
      .Attr("init", o.init)
      .Build();
}

Output ImmutableConst(Graph& g, DType dtype, PartialShape shape, std::string memory_region_name,
                      OpOptions o, Location where) {
  return NodeBuilder(g, "ImmutableConst", o.name, where)
      .Attr("dtype", dtype)
      .Attr("shape", shape)
      .Attr("memory_region_name", std::move(memory_region_name))
      .Build();
}

void DefineEmpty(OpRegistry& ops) {
  ops.Define("Empty")
      .TypeAttr("dtype", kAllTypes)
      .Attr("init", false)
      .Input("shape", "int32")
      .Output("output", "dtype")
      .Shape(EmptyShape)
      .Stateful()
      .Cpu({.types = {{"dtype", kNumberTypes | DTypeSet{DType::kBool, DType::kString}}},
            .make = MakeEmptyCpu})
      .Gpu({.types = {{"dtype", kGpuFloatTypes | DTypeSet(DType::kInt64)}}, .host_args = {"shape"}})
      .Doc("A tensor of the given shape.");
  ops.Define("ImmutableConst")
      .TypeAttr("dtype", kAllTypes)
      .Attr("shape", AttrKind::kShape)
      .Attr("memory_region_name", AttrKind::kString)
      .Output("tensor", "dtype")
      .Shape(StatedShape)
      .Cpu({.types = {{"dtype", kPlainTypes}}, .make = MakeImmutableConstCpu})
      .Doc("The bytes of a file as a tensor.");
}

}  // namespace headrace
