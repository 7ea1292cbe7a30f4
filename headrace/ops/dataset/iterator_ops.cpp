#include "headrace/ops/dataset/iterator_ops.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/dataset/iterator_kernels.h"

namespace headrace {
namespace {

using Types = AttrValue::Types;
using Shapes = AttrValue::Shapes;

Status NextShape(ShapeContext& c) {
  const Shapes& shapes = c.attrs().Get<Shapes>("output_shapes");
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument("`output_shapes` must be the same length as `output_types` (",
                           shapes.size(), " vs. ", c.num_outputs(), ")");
  }
  for (int i = 0; i < c.num_outputs(); ++i)
    HR_RETURN_IF_ERROR(c.SetOutput(i, shapes[static_cast<size_t>(i)]));
  return absl::OkStatus();
}

OpDef& ElementAttrs(OpDef& op, int64_t least) {
  AttrDef types{.name = "output_types", .kind = AttrKind::kTypeList, .minimum = least};
  AttrDef shapes{.name = "output_shapes", .kind = AttrKind::kShapeList, .minimum = least};
  if (least == 0) {
    types.default_value = AttrValue(Types());
    shapes.default_value = AttrValue(Shapes());
  }
  return op.Attr(std::move(types)).Attr(std::move(shapes));
}

OpDef& DefineOne(OpRegistry& ops, const char* name, KernelFactory make, const char* doc) {
  return ops.Define(name).NoGradient().Stateful().Shape(ScalarShape).Cpu({.make = make}).Doc(doc);
}

NodeBuilder& SetAttrs(NodeBuilder& builder, const std::vector<DType>& types,
                      const std::vector<PartialShape>& shapes) {
  return builder.Attr("output_types", Types(types)).Attr("output_shapes", Shapes(shapes));
}

}  // namespace

Output IteratorV2(Graph& g, const std::vector<DType>& types,
                  const std::vector<PartialShape>& shapes, IteratorOptions o, Location where) {
  NodeBuilder builder(g, "IteratorV2", o.name, where);
  return SetAttrs(builder, types, shapes)
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name)
      .Build();
}

Output StartedIterator(Output dataset, const std::vector<DType>& types,
                       const std::vector<PartialShape>& shapes, IteratorOptions o, Location where) {
  NodeBuilder builder("HeadraceStartedIterator", o.name.empty() ? "OneShotIterator" : o.name, where);
  builder.Input(dataset);
  return SetAttrs(builder, types, shapes)
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name)
      .Build();
}

Node* MakeIterator(Output dataset, Output iterator, OpOptions o, Location where) {
  return NodeBuilder("MakeIterator", o.name, where).Input(dataset).Input(iterator).BuildNode();
}

std::vector<Output> IteratorGetNext(Output iterator, const std::vector<DType>& types,
                                    const std::vector<PartialShape>& shapes, OpOptions o,
                                    Location where) {
  NodeBuilder builder("IteratorGetNext", o.name, where);
  Node* node = SetAttrs(builder.Input(iterator), types, shapes).BuildNode();
  std::vector<Output> outputs(types.size());
  for (size_t i = 0; node != nullptr && i < types.size(); ++i)
    outputs[i] = node->output(static_cast<int>(i));
  return outputs;
}

void DefineIterator(OpRegistry& ops) {
  for (const char* name : {"Iterator", "IteratorV2"}) {
    ElementAttrs(DefineOne(ops, name, MakeIteratorCpu, "A position in a dataset that steps share.")
                     .Attr("shared_name", AttrKind::kString)
                     .Attr("container", AttrKind::kString),
                 1)
        .Output("handle", "resource");
  }
  ElementAttrs(DefineOne(ops, "HeadraceStartedIterator", MakeStartedIteratorCpu,
                         "A position in a dataset, at its begin when a step first uses it.")
                   .Attr("shared_name", "")
                   .Attr("container", "")
                   .Attr("fuse_shuffle_and_repeat", true),
               1)
      .Input("dataset", "variant")
      .Output("handle", "resource");
  DefineOne(ops, "MakeIterator", MakeMakeIteratorCpu,
            "Brings an iterator to the begin of a dataset.")
      .Input("dataset", "variant")
      .Input("iterator", "resource");
  for (const char* name : {"IteratorGetNext", "IteratorGetNextSync"}) {
    ElementAttrs(DefineOne(ops, name, MakeIteratorGetNextCpu, "The next element of an iterator."),
                 1)
        .Input("iterator", "resource")
        .Output("components", "output_types")
        .Shape(NextShape);
  }
  DefineOne(ops, "IteratorToStringHandle", MakeIteratorToStringHandleCpu,
            "A text that stands for an iterator.")
      .Input("resource_handle", "resource")
      .Output("string_handle", "string");
  for (const char* name : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"}) {
    ElementAttrs(DefineOne(ops, name, MakeIteratorFromStringHandleCpu,
                           "The iterator that a text stands for."),
                 0)
        .Input("string_handle", "string")
        .Output("resource_handle", "resource");
  }
  DefineOne(ops, "SerializeIterator", MakeSerializeIteratorCpu,
            "Where an iterator and its buffers stand.")
      .Input("resource_handle", "resource")
      .Output("serialized", "variant");
  DefineOne(ops, "DeserializeIterator", MakeDeserializeIteratorCpu,
            "Brings an iterator to where another one stood.")
      .Input("resource_handle", "resource")
      .Input("serialized", "variant");
}

}  // namespace headrace
