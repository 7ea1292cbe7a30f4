#include "headrace/ops/data/stage.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/data/stage_kernels.h"

namespace headrace {
namespace {

void SetAttrs(NodeBuilder& builder, std::span<const DType> types, const StageOptions& o) {
  builder.Attr("dtypes", AttrValue::Types(types.begin(), types.end()))
      .Attr("capacity", o.capacity)
      .Attr("memory_limit", o.memory_limit)
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name);
}

std::vector<Output> Outputs(Node* node, size_t count) {
  std::vector<Output> outputs(count);
  for (size_t i = 0; node != nullptr && i < count; ++i)
    outputs[i] = node->output(static_cast<int>(i));
  return outputs;
}

Status PeekShape(ShapeContext& c) {
  return c.CheckScalar(0);
}

}  // namespace

Node* Stage(std::span<const Output> values, StageOptions o, Location where) {
  std::vector<DType> types;
  for (const Output& value : values)
    types.push_back(value.valid() ? value.value_dtype() : DType::kFloat32);
  NodeBuilder builder("Stage", o.name, where);
  builder.Inputs(values);
  SetAttrs(builder, types, o);
  return builder.BuildNode();
}
std::vector<Output> Unstage(Graph& g, std::span<const DType> types, StageOptions o,
                            Location where) {
  NodeBuilder builder(g, "Unstage", o.name, where);
  SetAttrs(builder, types, o);
  return Outputs(builder.BuildNode(), types.size());
}
std::vector<Output> StagePeek(Output index, std::span<const DType> types, StageOptions o,
                              Location where) {
  NodeBuilder builder("StagePeek", o.name, where);
  builder.Input(index);
  SetAttrs(builder, types, o);
  return Outputs(builder.BuildNode(), types.size());
}
Output StageSize(Graph& g, std::span<const DType> types, StageOptions o, Location where) {
  NodeBuilder builder(g, "StageSize", o.name, where);
  SetAttrs(builder, types, o);
  return builder.Build();
}
Node* StageClear(Graph& g, std::span<const DType> types, StageOptions o, Location where) {
  NodeBuilder builder(g, "StageClear", o.name, where);
  SetAttrs(builder, types, o);
  return builder.BuildNode();
}

void DefineStage(OpRegistry& ops) {
  const auto limit = [](const char* name) {
    return AttrDef{
        .name = name, .kind = AttrKind::kInt, .default_value = AttrValue(0), .minimum = 0};
  };
  const auto define = [&ops, &limit](const char* name, int64_t least_types, KernelFactory make,
                                     const char* doc) -> OpDef& {
    return ops.Define(name)
        .Attr(limit("capacity"))
        .Attr(limit("memory_limit"))
        .Attr(AttrDef{.name = "dtypes", .kind = AttrKind::kTypeList, .minimum = least_types})
        .Attr("container", "")
        .Attr("shared_name", "")
        .NoGradient()
        .Stateful()
        .Shape(NoShape)
        .Cpu({.make = make})
        .Doc(doc);
  };
  define("Stage", 1, MakeStageCpu, "Leaves tensors for another step.")
      .Input("values", "dtypes")
      .Blocking();
  define("Unstage", 1, MakeUnstageCpu, "Takes the oldest tensors that a step left.")
      .Output("values", "dtypes")
      .Blocking();
  define("StagePeek", 1, MakeUnstageCpu, "Tensors that a step left, which stay.")
      .Input("index", "int32")
      .Output("values", "dtypes")
      .Shape(PeekShape)
      .Blocking();
  define("StageSize", 0, MakeStageSizeCpu, "How many elements steps left.")
      .Output("size", "int32")
      .Shape(ScalarShape);
  define("StageClear", 0, MakeStageClearCpu, "Takes away what steps left.").Blocking();
}

}  // namespace headrace
