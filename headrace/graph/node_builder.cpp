#include "headrace/base/strings.h"
#include "headrace/graph/graph.h"

namespace headrace {

NodeBuilder::NodeBuilder(std::string_view op, std::string_view name, Location where) {
  spec_.op = std::string(op);
  spec_.name = std::string(name);
  spec_.location = where;
}

NodeBuilder::NodeBuilder(Graph& graph, std::string_view op, std::string_view name, Location where)
    : NodeBuilder(op, name, where) {
  graph_ = &graph;
}

NodeBuilder& NodeBuilder::Input(Output input) {
  if (!input.valid()) {
    if (poisoned_ < 0) poisoned_ = static_cast<int>(spec_.inputs.size());
  } else if (graph_ == nullptr) {
    graph_ = input.graph();
  }
  spec_.inputs.push_back(input);
  return *this;
}

NodeBuilder& NodeBuilder::Inputs(std::span<const Output> inputs) {
  for (const Output& input : inputs) Input(input);
  return *this;
}

NodeBuilder& NodeBuilder::Attr(std::string_view name, AttrValue value) {
  spec_.attrs.Set(name, std::move(value));
  return *this;
}

NodeBuilder& NodeBuilder::Control(Node* node) {
  if (node != nullptr) {
    if (graph_ == nullptr) graph_ = &node->graph();
    spec_.control_inputs.push_back(node);
  }
  return *this;
}

NodeBuilder& NodeBuilder::Device(std::string_view device) {
  spec_.device = std::string(device);
  return *this;
}

Output NodeBuilder::Build() {
  Node* node = BuildNode();
  return node == nullptr || node->num_outputs() == 0 ? Output{} : node->output(0);
}

Node* NodeBuilder::BuildNode() {
  if (graph_ == nullptr) return nullptr;  // all inputs invalid: their graph has the error
  if (poisoned_ >= 0) {
    // Invalid after an earlier error, which says more; without one, the caller passed an empty
    // Output.
    if (graph_->status().ok()) {
      const std::string place = spec_.location.ToString();
      graph_->ReportError(InvalidArgument("op '", spec_.op, "' node '",
                                          spec_.name.empty() ? spec_.op : spec_.name, "'",
                                          place.empty() ? "" : StrCat(" (", place, ")"), ": input ",
                                          poisoned_, " is no output of a node"));
    }
    return nullptr;
  }
  Graph& graph = *graph_;
  StatusOr<Node*> node = graph.AddNode(std::move(spec_));
  if (node.ok()) return *node;
  graph.ReportError(node.status());
  return nullptr;
}

}  // namespace headrace
