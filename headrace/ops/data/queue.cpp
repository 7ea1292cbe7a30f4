#include "headrace/ops/data/queue.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/data/queue_kernels.h"
#include "headrace/ops/data/queue_resource.h"

namespace headrace {
namespace {

// What the queue behind input 0 states of its components; empty if that cannot be seen.
std::vector<PartialShape> ComponentShapes(const Node& node) {
  const Node* queue = HandleMaker(node, 0);
  if (queue == nullptr) return {};
  const auto shapes = queue->attrs().GetOr<AttrValue::Shapes>("shapes", {});
  if (shapes.empty()) return {};
  std::vector<PartialShape> all(shapes.begin(), shapes.end());
  if (queue->op_name().starts_with("PriorityQueue")) all.insert(all.begin(), PartialShape(Shape()));
  return static_cast<int>(all.size()) == node.num_outputs() ? all : std::vector<PartialShape>();
}

Status SetShapes(ShapeContext& c, std::vector<PartialShape> shapes) {
  for (size_t i = 0; i < shapes.size(); ++i)
    HR_RETURN_IF_ERROR(c.SetOutput(static_cast<int>(i), shapes[i]));
  return absl::OkStatus();
}

Status DequeueShape(ShapeContext& c) {
  return SetShapes(c, ComponentShapes(c.node()));
}

Status BatchShape(ShapeContext& c, int64_t count) {
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  std::vector<PartialShape> shapes = ComponentShapes(c.node());
  for (PartialShape& shape : shapes) shape = BatchOf(shape, count);
  return SetShapes(c, std::move(shapes));
}

Status DequeueManyShape(ShapeContext& c) {
  const Tensor* n = c.input_value(1);
  if (n == nullptr || n->num_elements() != 1) return BatchShape(c, PartialShape::kUnknown);
  if (n->scalar<int32_t>() < 0)
    return InvalidArgument("DequeueManyOp requested ", n->scalar<int32_t>(), " < 0 elements");
  return BatchShape(c, n->scalar<int32_t>());
}

Status DequeueUpToShape(ShapeContext& c) {
  return BatchShape(c, PartialShape::kUnknown);
}

Status HandleShape(ShapeContext& c) {
  return c.SetOutput(0, {2});
}

// The op's name in the form that goes with the handle.
std::string OpFor(std::string_view op, Output queue) {
  return queue.valid() && IsRef(queue.dtype()) ? std::string(op) : StrCat(op, "V2");
}

template <class Options>
NodeBuilder QueueNode(Graph& g, std::string_view op, const std::vector<DType>& types,
                      const Options& o, Location where) {
  NodeBuilder builder(g, op, o.name.empty() ? op.substr(0, op.size() - 2) : o.name, where);
  builder.Attr("component_types", AttrValue::Types(types.begin(), types.end()))
      .Attr("shapes", AttrValue::Shapes(o.shapes.begin(), o.shapes.end()))
      .Attr("capacity", o.capacity)
      .Attr("container", o.container)
      .Attr("shared_name", o.shared_name);
  return builder;
}

Node* Enqueue(std::string_view op, Output queue, std::span<const Output> components,
              const OpOptions& o, Location where) {
  AttrValue::Types types;
  for (const Output& component : components)
    types.push_back(component.valid() ? component.value_dtype() : DType::kFloat32);
  return NodeBuilder(OpFor(op, queue), o.name.empty() ? op : o.name, where)
      .Input(queue)
      .Inputs(components)
      .Attr("Tcomponents", std::move(types))
      .BuildNode();
}

std::vector<Output> Dequeue(std::string_view op, std::initializer_list<Output> inputs,
                            std::span<const DType> types, const OpOptions& o, Location where) {
  const std::span<const Output> all(inputs.begin(), inputs.size());
  Node* node = NodeBuilder(OpFor(op, all[0]), o.name.empty() ? op : o.name, where)
                   .Inputs(all)
                   .Attr("component_types", AttrValue::Types(types.begin(), types.end()))
                   .BuildNode();
  std::vector<Output> outputs(types.size());
  for (size_t i = 0; node != nullptr && i < outputs.size(); ++i)
    outputs[i] = node->output(static_cast<int>(i));
  return outputs;
}

}  // namespace

Output FIFOQueue(Graph& g, const std::vector<DType>& types, QueueNodeOptions o, Location where) {
  return QueueNode(g, "FIFOQueueV2", types, o, where).Build();
}
Output PaddingFIFOQueue(Graph& g, const std::vector<DType>& types, QueueNodeOptions o,
                        Location where) {
  return QueueNode(g, "PaddingFIFOQueueV2", types, o, where).Build();
}
Output PriorityQueue(Graph& g, const std::vector<DType>& types, QueueNodeOptions o,
                     Location where) {
  return QueueNode(g, "PriorityQueueV2", types, o, where).Build();
}
Output RandomShuffleQueue(Graph& g, const std::vector<DType>& types, ShuffleQueueOptions o,
                          Location where) {
  return QueueNode(g, "RandomShuffleQueueV2", types, o, where)
      .Attr("min_after_dequeue", o.min_after_dequeue)
      .Attr("seed", o.seed)
      .Attr("seed2", o.seed2)
      .Build();
}

Node* QueueEnqueue(Output queue, std::span<const Output> components, OpOptions o, Location where) {
  return Enqueue("QueueEnqueue", queue, components, o, where);
}
Node* QueueEnqueueMany(Output queue, std::span<const Output> components, OpOptions o,
                       Location where) {
  return Enqueue("QueueEnqueueMany", queue, components, o, where);
}

std::vector<Output> QueueDequeue(Output queue, std::span<const DType> types, OpOptions o,
                                 Location where) {
  return Dequeue("QueueDequeue", {queue}, types, o, where);
}
std::vector<Output> QueueDequeueMany(Output queue, Output n, std::span<const DType> types,
                                     OpOptions o, Location where) {
  return Dequeue("QueueDequeueMany", {queue, n}, types, o, where);
}
std::vector<Output> QueueDequeueUpTo(Output queue, Output n, std::span<const DType> types,
                                     OpOptions o, Location where) {
  return Dequeue("QueueDequeueUpTo", {queue, n}, types, o, where);
}

Node* QueueClose(Output queue, QueueCloseOptions o, Location where) {
  return NodeBuilder(OpFor("QueueClose", queue), o.name.empty() ? "QueueClose" : o.name, where)
      .Input(queue)
      .Attr("cancel_pending_enqueues", o.cancel_pending_enqueues)
      .BuildNode();
}
Output QueueSize(Output queue, OpOptions o, Location where) {
  return NodeBuilder(OpFor("QueueSize", queue), o.name.empty() ? "QueueSize" : o.name, where)
      .Input(queue)
      .Build();
}
Output QueueIsClosed(Output queue, OpOptions o, Location where) {
  return NodeBuilder(OpFor("QueueIsClosed", queue), o.name.empty() ? "QueueIsClosed" : o.name,
                     where)
      .Input(queue)
      .Build();
}

void DefineQueue(OpRegistry& ops) {
  struct QueueOp {
    const char* name;
    const char* doc;
  };
  for (const QueueOp& op :
       {QueueOp{"FIFOQueue", "A queue: first in, first out."},
        QueueOp{"PaddingFIFOQueue", "A queue whose batches are padded to their largest element."},
        QueueOp{"PriorityQueue", "A queue sorted by its first component."},
        QueueOp{"RandomShuffleQueue", "A queue that gives its elements in random order."}}) {
    const std::string_view name = op.name;
    const bool sorted = name == "PriorityQueue";
    for (const bool v2 : {false, true}) {
      OpDef& def = ops.Define(v2 ? StrCat(name, "V2") : std::string(name));
      AttrDef types{
          .name = "component_types", .kind = AttrKind::kTypeList, .minimum = sorted ? 0 : 1};
      AttrDef shapes{.name = "shapes", .kind = AttrKind::kShapeList, .minimum = 0};
      if (sorted) types.default_value = AttrValue(AttrValue::Types{});
      if (!sorted) shapes.default_value = AttrValue(AttrValue::Shapes{});
      def.Attr(types).Attr(shapes).Attr("capacity", -1);
      if (name == "RandomShuffleQueue")
        def.Attr("min_after_dequeue", 0).Attr("seed", 0).Attr("seed2", 0);
      def.Attr("container", "").Attr("shared_name", "");
      v2 ? def.Output("handle", "resource") : def.RefOutput("handle", "string");
      def.Shape(v2 ? ScalarShape : HandleShape)
          .NoGradient()
          .Stateful()
          .Cpu({.make = MakeQueueCpu})
          .Doc(op.doc);
    }
  }

  // Every op that takes a queue, in both forms.
  const auto define = [&ops](std::string_view name, auto fill) {
    for (const bool v2 : {false, true}) {
      OpDef& def = ops.Define(v2 ? StrCat(name, "V2") : std::string(name));
      v2 ? def.Input("handle", "resource") : def.RefInput("handle", "string");
      fill(def);
      def.NoGradient();
      if (v2) def.Stateful();  // a ref input says so already
    }
  };
  const AttrDef in{.name = "Tcomponents", .kind = AttrKind::kTypeList, .minimum = 1};
  const AttrDef out{.name = "component_types", .kind = AttrKind::kTypeList, .minimum = 1};
  for (const char* name : {"QueueEnqueue", "QueueEnqueueMany"}) {
    define(name, [&](OpDef& def) {
      def.Input("components", "Tcomponents")
          .Attr(in)
          .Attr("timeout_ms", -1)
          .Shape(NoShape)
          .Blocking();
      def.Cpu({.make = MakeEnqueueCpu}).Doc("Adds to a queue, when it has room.");
    });
  }
  define("QueueDequeue", [&](OpDef& def) {
    def.Output("components", "component_types")
        .Attr(out)
        .Attr("timeout_ms", -1)
        .Shape(DequeueShape)
        .Blocking();
    def.Cpu({.make = MakeDequeueCpu}).Doc("Takes one element from a queue, when there is one.");
  });
  struct ManyOp {
    const char* name;
    ShapeFn shape;
    const char* doc;
  };
  for (const ManyOp& op :
       {ManyOp{"QueueDequeueMany", DequeueManyShape, "Takes n elements from a queue, stacked."},
        ManyOp{"QueueDequeueUpTo", DequeueUpToShape,
               "Takes n elements from a queue, or the rest of a closed one, stacked."}}) {
    define(op.name, [&](OpDef& def) {
      def.Input("n", "int32")
          .Output("components", "component_types")
          .Attr(out)
          .Attr("timeout_ms", -1);
      def.Shape(op.shape).Blocking().Cpu({.make = MakeDequeueManyCpu}).Doc(op.doc);
    });
  }
  define("QueueClose", [](OpDef& def) {
    def.Attr("cancel_pending_enqueues", false).Shape(NoShape).Blocking();
    def.Cpu({.make = MakeQueueCloseCpu}).Doc("Ends what can be added to a queue.");
  });
  define("QueueSize", [](OpDef& def) {
    def.Output("size", "int32")
        .Shape(ScalarShape)
        .Cpu({.make = MakeQueueSizeCpu})
        .Doc("Elements in a queue.");
  });
  define("QueueIsClosed", [](OpDef& def) {
    def.Output("is_closed", "bool").Shape(ScalarShape).Cpu({.make = MakeQueueIsClosedCpu});
    def.Doc("Whether a queue is closed.");
  });
}

}  // namespace headrace
