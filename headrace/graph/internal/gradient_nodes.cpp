#include "headrace/graph/internal/gradient_nodes.h"

#include <algorithm>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/tensor/dispatch.h"

namespace headrace::internal {
namespace {

Tensor One(DType type) {
  Tensor one;
  DispatchDType<kNumberTypes>(type, [&]<class T>() { one = Tensor::Scalar<T>(T(1)); });
  return one;
}

Output MakeConst(Graph& graph, Tensor value, std::string_view name, Location where) {
  const DType type = value.dtype();
  return NodeBuilder(graph, "Const", name, where)
      .Attr("value", std::move(value))
      .Attr("dtype", type)
      .Build();
}

// x[0] as a scalar.
Output FirstElement(Output x, Location where) {
  Graph& graph = *x.graph();
  NameScope scope(graph, "strided_slice");
  const int32_t begin[] = {0}, end[] = {1}, stride[] = {1};
  const Output from = MakeIntConst(graph, begin, {1}, "stack", where);
  const Output to = MakeIntConst(graph, end, {1}, "stack_1", where);
  const Output by = MakeIntConst(graph, stride, {1}, "stack_2", where);
  return NodeBuilder("StridedSlice", graph.name_scope() + "/", where)
      .Input(x)
      .Input(from)
      .Input(to)
      .Input(by)
      .Attr("shrink_axis_mask", 1)
      .Build();
}

}  // namespace

Output MakeIntConst(Graph& graph, std::span<const int32_t> values, const Shape& shape,
                    std::string_view name, Location where) {
  return MakeConst(graph, Tensor::Of<int32_t>(values, shape), name, where);
}

Output MakeShapeOf(Output x, Location where) {
  const PartialShape& shape = x.shape();
  const bool fits =
      std::ranges::all_of(shape.dims(), [](int64_t dim) { return dim <= 2147483647; });
  if (!shape.is_fully_known() || !fits) return NodeBuilder("Shape", "", where).Input(x).Build();
  const std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  return MakeIntConst(*x.graph(), dims, {shape.rank()}, "Shape", where);
}

Output MakeOnes(Output y, int i, Location where) {
  const Output shape = MakeShapeOf(y, where);
  const Output one = MakeConst(*y.graph(), One(y.value_dtype()), StrCat("grad_ys_", i), where);
  return NodeBuilder("Fill", "", where).Input(shape).Input(one).Build();
}

Output MakeIdentity(Output x, std::string_view name, Location where) {
  return NodeBuilder("Identity", name, where).Input(x).Build();
}

Output MakeZerosLike(Output x, Location where) {
  return NodeBuilder("ZerosLike", "zeros_like", where).Input(x).Build();
}

Output MakeConcatRows(std::span<const Output> parts, Location where) {
  if (parts.size() == 1) return parts[0];
  Graph& graph = *parts[0].graph();
  NameScope scope(graph, "concat");
  const int32_t axis[] = {0};
  const Output rows = MakeIntConst(graph, axis, {}, "axis", where);
  return NodeBuilder("ConcatV2", graph.name_scope() + "/", where).Inputs(parts).Input(rows).Build();
}

Output MakeDense(const IndexedSlices& slices, std::string_view name, Location where) {
  if (!slices.values.valid() || !slices.indices.valid()) return Output();
  if (!slices.dense_shape.valid()) {
    slices.values.graph()->ReportError(InvalidArgument(
        slices.values.node->Describe(),
        ": slices of a gradient cannot be made dense: their dense_shape is not known"));
    return Output();
  }
  const Output rows = FirstElement(slices.dense_shape, where);
  return NodeBuilder("UnsortedSegmentSum", name, where)
      .Input(slices.values)
      .Input(slices.indices)
      .Input(rows)
      .Build();
}

void GateGradients(Graph& graph, std::span<Gradient> gradients, Location where) {
  std::vector<Node*> sources;
  for (const Gradient& gradient : gradients) {
    if (gradient.dense.valid()) sources.push_back(gradient.dense.node);
    if (gradient.slices) sources.push_back(gradient.slices->values.node);
  }
  std::ranges::sort(sources, {}, &Node::id);
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  ColocateWith nowhere(graph, nullptr);
  NameScope tuple(graph, "tuple");
  std::map<std::string, std::vector<Node*>> by_device;
  for (Node* node : sources) by_device[node->requested_device()].push_back(node);
  Node* gate = nullptr;
  std::vector<Node*> gates;
  {
    NameScope scope(graph, "group_deps");
    const std::string whole = graph.name_scope() + "/";
    for (const auto& [device, nodes] : by_device) {
      NodeBuilder group(graph, "NoOp", by_device.size() == 1 ? whole : "", where);
      for (Node* node : nodes) group.Control(node);
      gates.push_back(group.Device(device).BuildNode());
    }
    gate = gates[0];
    if (gates.size() > 1) {
      NodeBuilder all(graph, "NoOp", whole, where);
      for (Node* node : gates) all.Control(node);
      gate = all.BuildNode();
    }
  }
  auto gated = [&](Output x) {
    ColocateWith with(graph, *x.node);
    return NodeBuilder("Identity", "control_dependency", where).Input(x).Control(gate).Build();
  };
  for (Gradient& gradient : gradients) {
    if (gradient.dense.valid()) gradient.dense = gated(gradient.dense);
    if (gradient.slices) gradient.slices->values = gated(gradient.slices->values);
  }
}

}  // namespace headrace::internal
