#include "headrace/ops/data/barrier.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/data/barrier_kernels.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/data/queue_resource.h"

namespace headrace {
namespace {

Status HandleShape(ShapeContext& c) {
  return c.SetOutput(0, {2});
}

Status InsertManyShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape keys, c.WithRank(1, 1));
  HR_ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(2, 1));
  if (!values.has_rank()) return absl::OkStatus();
  return c.CheckEqualDims(keys[0], values[0], "number of keys", "number of values");
}

Status TakeManyShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  int64_t count = PartialShape::kUnknown;
  const Tensor* n = c.input_value(1);
  if (n != nullptr && n->num_elements() == 1 && !c.attrs().Get<bool>("allow_small_batch"))
    count = *n->data<int32_t>();
  HR_RETURN_IF_ERROR(c.SetOutput(0, {count}));
  HR_RETURN_IF_ERROR(c.SetOutput(1, {count}));
  const Node* barrier = HandleMaker(c.node(), 0);
  if (barrier == nullptr) return absl::OkStatus();
  const auto shapes = barrier->attrs().GetOr<AttrValue::Shapes>("shapes", {});
  if (static_cast<int>(shapes.size()) + 2 != c.num_outputs()) return absl::OkStatus();
  for (size_t i = 0; i < shapes.size(); ++i)
    HR_RETURN_IF_ERROR(c.SetOutput(static_cast<int>(i) + 2, BatchOf(shapes[i], count)));
  return absl::OkStatus();
}

}  // namespace

Output Barrier(Graph& g, const std::vector<DType>& types, BarrierOptions o, Location where) {
  return NodeBuilder(g, "Barrier", o.name, where)
      .Attr("component_types", AttrValue::Types(types.begin(), types.end()))
      .Attr("shapes", AttrValue::Shapes(o.shapes.begin(), o.shapes.end()))
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name)
      .Build();
}
Node* BarrierInsertMany(Output barrier, int64_t component_index, Output keys, Output values,
                        OpOptions o, Location where) {
  return NodeBuilder("BarrierInsertMany", o.name, where)
      .Input(barrier)
      .Input(keys)
      .Input(values)
      .Attr("component_index", component_index)
      .BuildNode();
}
BarrierElements BarrierTakeMany(Output barrier, Output num_elements, std::span<const DType> types,
                                BarrierTakeOptions o, Location where) {
  Node* node = NodeBuilder("BarrierTakeMany", o.name, where)
                   .Input(barrier)
                   .Input(num_elements)
                   .Attr("component_types", AttrValue::Types(types.begin(), types.end()))
                   .Attr("allow_small_batch", o.allow_small_batch)
                   .BuildNode();
  BarrierElements elements;
  elements.values.resize(types.size());
  if (node == nullptr) return elements;
  elements.indices = node->output(0);
  elements.keys = node->output(1);
  for (size_t i = 0; i < types.size(); ++i)
    elements.values[i] = node->output(static_cast<int>(i) + 2);
  return elements;
}
Node* BarrierClose(Output barrier, BarrierCloseOptions o, Location where) {
  return NodeBuilder("BarrierClose", o.name, where)
      .Input(barrier)
      .Attr("cancel_pending_enqueues", o.cancel_pending_enqueues)
      .BuildNode();
}
Output BarrierReadySize(Output barrier, OpOptions o, Location where) {
  return NodeBuilder("BarrierReadySize", o.name, where).Input(barrier).Build();
}
Output BarrierIncompleteSize(Output barrier, OpOptions o, Location where) {
  return NodeBuilder("BarrierIncompleteSize", o.name, where).Input(barrier).Build();
}

void DefineBarrier(OpRegistry& ops) {
  const AttrDef types{.name = "component_types", .kind = AttrKind::kTypeList, .minimum = 1};
  ops.Define("Barrier")
      .Attr(types)
      .Attr({.name = "shapes",
             .kind = AttrKind::kShapeList,
             .default_value = AttrValue(AttrValue::Shapes{}),
             .minimum = 0})
      .Attr("capacity", -1)
      .Attr("container", "")
      .Attr("shared_name", "")
      .RefOutput("handle", "string")
      .Shape(HandleShape)
      .NoGradient()
      .Stateful()
      .Cpu({.make = MakeBarrierCpu})
      .Doc("Elements by key that are whole when all their components have come.");
  ops.Define("BarrierInsertMany")
      .TypeAttr("T", kAllTypes)
      .Attr("component_index", AttrKind::kInt)
      .RefInput("handle", "string")
      .Input("keys", "string")
      .Input("values", "T")
      .Shape(InsertManyShape)
      .NoGradient()
      .Blocking()
      .Cpu({.make = MakeBarrierInsertManyCpu})
      .Doc("Sets a component of elements.");
  ops.Define("BarrierTakeMany")
      .Attr(types)
      .Attr("allow_small_batch", false)
      .Attr("wait_for_incomplete", false)
      .Attr("timeout_ms", -1)
      .RefInput("handle", "string")
      .Input("num_elements", "int32")
      .Output("indices", "int64")
      .Output("keys", "string")
      .Output("values", "component_types")
      .Shape(TakeManyShape)
      .NoGradient()
      .Blocking()
      .Cpu({.make = MakeBarrierTakeManyCpu})
      .Doc("Takes elements that are whole, when there are so many.");
  ops.Define("BarrierClose")
      .Attr("cancel_pending_enqueues", false)
      .RefInput("handle", "string")
      .Shape(NoShape)
      .NoGradient()
      .Blocking()
      .Cpu({.make = MakeBarrierCloseCpu})
      .Doc("Lets a barrier take no new keys.");
  ops.Define("BarrierReadySize")
      .RefInput("handle", "string")
      .Output("size", "int32")
      .Shape(ScalarShape)
      .NoGradient()
      .Cpu({.make = MakeBarrierReadySizeCpu})
      .Doc("How many elements are whole.");
  ops.Define("BarrierIncompleteSize")
      .RefInput("handle", "string")
      .Output("size", "int32")
      .Shape(ScalarShape)
      .NoGradient()
      .Cpu({.make = MakeBarrierIncompleteSizeCpu})
      .Doc("How many elements lack components.");
}

}  // namespace headrace
