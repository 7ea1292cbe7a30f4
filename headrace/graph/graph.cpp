#include "headrace/graph/graph.h"

#include <algorithm>
#include <cassert>

#include "headrace/base/strings.h"
#include "headrace/graph/internal/names.h"
#include "headrace/graph/internal/signature.h"
#include "headrace/graph/shape_context.h"

namespace headrace {

Graph::Graph(OpRegistry& registry) : registry_(registry) {}
Graph::~Graph() = default;

StatusOr<Node*> Graph::AddNode(NodeSpec spec) {
  HR_RETURN_IF_ERROR(ApplyDeviceScopes(spec));
  ApplyControlScopes(spec);
  std::string_view name =
      spec.name.empty() ? std::string_view(spec.op) : std::string_view(spec.name);
  std::string full_name;
  if (name.ends_with('/')) {
    full_name = std::string(name.substr(0, name.size() - 1));
  } else {
    full_name = UniqueName(name);
  }
  return Insert(std::move(spec), std::move(full_name));
}

StatusOr<Node*> Graph::Insert(NodeSpec spec, std::string full_name) {
  auto owned = std::make_unique<Node>();
  Node& node = *owned;
  node.graph_ = this;
  node.id_ = num_nodes();
  node.name_ = std::move(full_name);
  node.location_ = spec.location;
  StatusOr<const OpDef*> op = registry_.Lookup(spec.op);
  if (!op.ok()) return Annotate(op.status(), StrCat("node '", node.name_, "': "));
  node.op_ = *op;
  const Status prepared = Prepare(node, std::move(spec));
  if (!prepared.ok()) return Annotate(prepared, StrCat(node.Describe(), ": "));
  nodes_.push_back(std::move(owned));
  by_name_.emplace(node.name_, &node);
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Output& from = node.inputs_[i];
    from.node->out_edges_.push_back({.to = &node, .to_input = i, .from_output = from.index});
  }
  return &node;
}

Status Graph::Prepare(Node& node, NodeSpec spec) {
  if (!internal::IsValidNodeName(node.name_)) {
    return InvalidArgument(
        "'", EscapeC(node.name_),
        "' is not a valid node name: it must start with a letter, a digit or '.', ",
        "and go on with letters, digits, '_', '.', '-', '/' or '\\'");
  }
  if (const Node* other = FindNode(node.name_)) {
    return InvalidArgument("Duplicate node name in graph: '", node.name_, "' is taken by ",
                           other->Describe());
  }
  std::vector<DType> types;
  HR_RETURN_IF_ERROR(CheckInputs(spec, types));
  HR_ASSIGN_OR_RETURN(internal::Signature signature,
                      internal::ResolveSignature(*node.op_, types, spec.attrs));
  node.attrs_ = std::move(spec.attrs);
  node.inputs_ = std::move(spec.inputs);
  node.input_types_ = std::move(signature.input_types);
  node.output_types_ = std::move(signature.output_types);
  node.device_ = std::move(spec.device);
  for (Node* control : spec.control_inputs) {
    if (control == nullptr || control->graph_ != this)
      return InvalidArgument("a control input is no node of this graph");
    if (std::ranges::find(node.control_inputs_, control) == node.control_inputs_.end()) {
      node.control_inputs_.push_back(control);
    }
  }
  return InferShapes(node);
}

Status Graph::CheckInputs(const NodeSpec& spec, std::vector<DType>& types) const {
  types.reserve(spec.inputs.size());
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const Output& input = spec.inputs[i];
    if (!input.valid()) return InvalidArgument("input ", i, " is no output of a node");
    if (input.node->graph_ != this) {
      return InvalidArgument("input ", i, " ('", input.name(), "') belongs to another graph");
    }
    if (input.index < 0 || input.index >= input.node->num_outputs()) {
      return InvalidArgument("input ", i, " is output ", input.index, " of ",
                             input.node->Describe(), ", which has ", input.node->num_outputs(),
                             " outputs");
    }
    types.push_back(input.dtype());
  }
  return absl::OkStatus();
}

Status Graph::InferShapes(Node& node) const {
  node.output_shapes_.assign(node.output_types_.size(), PartialShape());
  const ShapeFn infer = node.op_->shape_fn();
  if (infer == nullptr) return absl::OkStatus();
  std::vector<PartialShape> shapes;
  shapes.reserve(node.inputs_.size());
  for (const Output& input : node.inputs_) shapes.push_back(input.shape());
  // Values stay where they are while the shape function holds pointers to them.
  struct Known {
    const Node& node;
    std::deque<Tensor> values;
  } known{node, {}};
  ShapeContext context(
      node, shapes,
      [&known](int i) -> const Tensor* {
        Tensor value = ConstantValue(known.node.input(i));
        if (!value.valid()) return nullptr;
        known.values.push_back(std::move(value));
        return &known.values.back();
      },
      [&known](int i) { return ConstantValueAsShape(known.node.input(i)); });
  HR_RETURN_IF_ERROR(infer(context));
  for (const PartialShape& shape : context.outputs()) {
    if (shape.is_fully_known()) HR_RETURN_IF_ERROR(Shape::Make(shape.dims()).status());
  }
  node.output_shapes_.assign(context.outputs().begin(), context.outputs().end());
  return absl::OkStatus();
}

Status Graph::CheckReplacement(const Node& node, int input, Output source) const {
  if (node.graph_ != this || input < 0 || input >= node.num_inputs()) {
    return InvalidArgument(node.Describe(), ": there is no input ", input, "; the node has ",
                           node.num_inputs());
  }
  if (!source.valid() || source.node->graph_ != this || source.index < 0 ||
      source.index >= source.node->num_outputs()) {
    return InvalidArgument(node.Describe(), ": the new input ", input,
                           " is no output of a node of this graph");
  }
  const DType wanted = node.input_types_[input];
  if (IsRef(wanted) ? source.dtype() != wanted : source.value_dtype() != wanted) {
    return InvalidArgument(node.Describe(), ": the new input ", input, " ('", source.name(),
                           "') has dtype ", DTypeName(source.dtype()), ", must be ",
                           DTypeName(wanted));
  }
  return absl::OkStatus();
}

void Graph::ReplaceEdge(Node& node, int input, Output source) {
  const Output old = std::exchange(node.inputs_[input], source);
  std::erase_if(old.node->out_edges_,
                [&](const Node::Edge& edge) { return edge.to == &node && edge.to_input == input; });
  source.node->out_edges_.push_back({.to = &node, .to_input = input, .from_output = source.index});
}

Status Graph::SetInput(Node& node, int input, Output source) {
  HR_RETURN_IF_ERROR(CheckReplacement(node, input, source));
  const Output old = node.inputs_[input];
  std::vector<PartialShape> old_shapes = node.output_shapes_;
  ReplaceEdge(node, input, source);
  const Status inferred = InferShapes(node);
  if (inferred.ok()) return inferred;
  ReplaceEdge(node, input, old);
  node.output_shapes_ = std::move(old_shapes);
  return Annotate(inferred, StrCat(node.Describe(), ": "));
}

Status Graph::AddControlInput(Node& node, Node& source) {
  if (node.graph_ != this || source.graph_ != this) {
    return InvalidArgument(node.Describe(), ": its control input ", source.Describe(),
                           " belongs to another graph");
  }
  if (std::ranges::find(node.control_inputs_, &source) == node.control_inputs_.end()) {
    node.control_inputs_.push_back(&source);
  }
  return absl::OkStatus();
}

Status Graph::RefineShape(Output output, const PartialShape& shape) {
  if (!output.valid() || output.node->graph_ != this)
    return InvalidArgument("the output is none of this graph");
  if (output.index < 0 || output.index >= output.node->num_outputs()) {
    return InvalidArgument(output.node->Describe(), " has ", output.node->num_outputs(),
                           " outputs; there is no output ", output.index);
  }
  PartialShape& known = output.node->output_shapes_[output.index];
  StatusOr<PartialShape> merged = known.MergedWith(shape);
  if (!merged.ok())
    return Annotate(merged.status(),
                    StrCat(output.node->Describe(), ", output ", output.index, ": "));
  known = *merged;
  return absl::OkStatus();
}

void Graph::SetAttr(Node& node, std::string_view name, AttrValue value) {
  node.attrs_.Set(name, std::move(value));
}

void Graph::SetDevice(Node& node, std::string_view device) {
  node.device_ = std::string(device);
}

Node* Graph::FindNode(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

StatusOr<Output> Graph::FindOutput(std::string_view name) const {
  const size_t colon = name.rfind(':');
  const std::string_view node_name = name.substr(0, colon);
  std::optional<int64_t> index = 0;
  if (colon != std::string_view::npos) index = ParseInt(name.substr(colon + 1));
  if (!index || *index < 0 || name.starts_with('^')) {
    return InvalidArgument("'", name,
                           "' is not the name of an output, which looks like 'scope/node:0'");
  }
  Node* node = FindNode(node_name);
  if (node == nullptr) {
    std::vector<std::string> names;
    names.reserve(nodes_.size());
    for (const auto& known : nodes_) names.push_back(known->name_);
    const std::vector<std::string> nearest = NearestNames(node_name, names);
    return NotFound(
        "the graph has no node '", node_name, "'",
        nearest.empty() ? "" : StrCat("; the nearest names are '", StrJoin(nearest, "', '"), "'"));
  }
  if (*index >= node->num_outputs()) {
    return InvalidArgument("'", name, "': ", node->Describe(), " has ", node->num_outputs(),
                           " outputs");
  }
  return node->output(static_cast<int>(*index));
}

void Graph::ReportError(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

std::pair<int64_t, int64_t> Graph::OpSeeds(std::optional<int64_t> op_seed) const {
  constexpr int64_t kMax = 2147483647, kDefaultGraphSeed = 87654321;
  auto truncated = [](int64_t seed) { return (seed % kMax + kMax) % kMax; };
  if (!seed_ && !op_seed) return {0, 0};
  const int64_t first = seed_ ? truncated(*seed_) : kDefaultGraphSeed;
  const int64_t second = truncated(op_seed.value_or(num_nodes()));
  // (0, 0) would mean: draw a seed that differs in every run.
  if (first == 0 && second == 0) return {0, kMax};
  return {first, second};
}

void Graph::AddToCollection(std::string_view collection, Output output) {
  auto it = collections_.find(collection);
  if (it == collections_.end()) it = collections_.emplace(collection, std::vector<Output>()).first;
  it->second.push_back(output);
}

std::span<const Output> Graph::Collection(std::string_view collection) const {
  auto it = collections_.find(collection);
  if (it == collections_.end()) return {};
  return it->second;
}

}  // namespace headrace
