#include "headrace/ops/data/map_stage.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/data/map_stage_kernels.h"

namespace headrace {
namespace {

Status KeyShape(ShapeContext& c) {
  return c.CheckScalar(0);
}

Status NoKeyShape(ShapeContext& c) {
  return c.SetOutput(0, Shape());
}

std::string OpFor(std::string_view op, const MapStageOptions& o) {
  return StrCat(o.ordered ? "Ordered" : "", op);
}

NodeBuilder& SetAttrs(NodeBuilder& builder, std::span<const DType> types,
                      const MapStageOptions& o) {
  return builder.Attr("dtypes", AttrValue::Types(types.begin(), types.end()))
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

}  // namespace

Node* MapStage(Output key, Output indices, std::span<const Output> values,
               std::span<const DType> types, const MapStageOptions& o, Location where) {
  AttrValue::Types given;
  for (const Output& value : values)
    given.push_back(value.valid() ? value.value_dtype() : DType::kFloat32);
  NodeBuilder builder(OpFor("MapStage", o), o.name, where);
  builder.Input(key).Input(indices).Inputs(values).Attr("fake_dtypes", std::move(given));
  return SetAttrs(builder, types, o).BuildNode();
}
std::vector<Output> MapUnstage(Output key, Output indices, std::span<const DType> types,
                               const MapStageOptions& o, Location where) {
  NodeBuilder builder(OpFor("MapUnstage", o), o.name, where);
  builder.Input(key).Input(indices);
  return Outputs(SetAttrs(builder, types, o).BuildNode(), types.size());
}
std::vector<Output> MapPeek(Output key, Output indices, std::span<const DType> types,
                            const MapStageOptions& o, Location where) {
  NodeBuilder builder(OpFor("MapPeek", o), o.name, where);
  builder.Input(key).Input(indices);
  return Outputs(SetAttrs(builder, types, o).BuildNode(), types.size());
}
std::vector<Output> MapUnstageNoKey(Output indices, std::span<const DType> types,
                                    const MapStageOptions& o, Location where) {
  NodeBuilder builder(OpFor("MapUnstageNoKey", o), o.name, where);
  builder.Input(indices);
  return Outputs(SetAttrs(builder, types, o).BuildNode(), types.size() + 1);
}
Output MapSize(Graph& g, std::span<const DType> types, const MapStageOptions& o, Location where) {
  NodeBuilder builder(g, OpFor("MapSize", o), o.name, where);
  return SetAttrs(builder, types, o).Build();
}
Output MapIncompleteSize(Graph& g, std::span<const DType> types, const MapStageOptions& o,
                         Location where) {
  NodeBuilder builder(g, OpFor("MapIncompleteSize", o), o.name, where);
  return SetAttrs(builder, types, o).Build();
}
Node* MapClear(Graph& g, std::span<const DType> types, const MapStageOptions& o, Location where) {
  NodeBuilder builder(g, OpFor("MapClear", o), o.name, where);
  return SetAttrs(builder, types, o).BuildNode();
}

void DefineMapStage(OpRegistry& ops) {
  const auto limit = [](const char* name) {
    return AttrDef{
        .name = name, .kind = AttrKind::kInt, .default_value = AttrValue(0), .minimum = 0};
  };
  for (const char* prefix : {"", "Ordered"}) {
    const auto define = [&](const char* name, int64_t least_types, KernelFactory make,
                            const char* doc) -> OpDef& {
      return ops.Define(StrCat(prefix, name))
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
    define("MapStage", 0, MakeMapStageCpu, "Leaves tensors under a key for another step.")
        .Attr(AttrDef{.name = "fake_dtypes", .kind = AttrKind::kTypeList, .minimum = 1})
        .Input("key", "int64")
        .Input("indices", "int32")
        .Input("values", "fake_dtypes")
        .Shape(KeyShape)
        .Blocking();
    define("MapUnstage", 1, MakeMapUnstageCpu, "Takes tensors that a step left under a key.")
        .Input("key", "int64")
        .Input("indices", "int32")
        .Output("values", "dtypes")
        .Shape(KeyShape)
        .Blocking();
    define("MapPeek", 1, MakeMapUnstageCpu, "Tensors that a step left under a key, which stay.")
        .Input("key", "int64")
        .Input("indices", "int32")
        .Output("values", "dtypes")
        .Shape(KeyShape)
        .Blocking();
    define("MapUnstageNoKey", 1, MakeMapUnstageCpu, "Takes tensors that a step left, any key.")
        .Input("indices", "int32")
        .Output("key", "int64")
        .Output("values", "dtypes")
        .Shape(NoKeyShape)
        .Blocking();
    define("MapSize", 0, MakeMapSizeCpu, "How many whole elements steps left.")
        .Output("size", "int32")
        .Shape(ScalarShape);
    define("MapIncompleteSize", 0, MakeMapIncompleteSizeCpu, "How many elements lack components.")
        .Output("size", "int32")
        .Shape(ScalarShape);
    define("MapClear", 0, MakeMapClearCpu, "Takes away what steps left.").Blocking();
  }
}

}  // namespace headrace
