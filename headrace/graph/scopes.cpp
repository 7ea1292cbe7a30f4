#include <algorithm>

#include "headrace/base/device_name.h"
#include "headrace/base/strings.h"
#include "headrace/graph/graph.h"
#include "headrace/graph/internal/names.h"

namespace headrace {

NameScope::NameScope(Graph& graph, std::string_view name)
    : graph_(graph), outer_(graph.name_scope_) {
  if (!internal::IsValidScopeName(name, outer_.empty())) {
    graph.ReportError(InvalidArgument(
        "'", EscapeC(name),
        "' is not a valid scope name: letters, digits, '_', '.', '-', '/' and '\\' only, ",
        "the outermost scope starting with a letter, a digit or '.'"));
    return;
  }
  if (name.empty()) {
    graph.name_scope_.clear();
  } else if (name.ends_with('/')) {
    graph.name_scope_ = std::string(name.substr(0, name.size() - 1));
  } else {
    graph.name_scope_ = graph.UniqueName(name);
  }
}

NameScope::~NameScope() {
  graph_.name_scope_ = std::move(outer_);
}

DeviceScope::DeviceScope(Graph& graph, std::string_view device, Location where)
    : graph_(graph), outer_(graph.device_scope_) {
  StatusOr<DeviceName> inner = DeviceName::Parse(device);
  if (!inner.ok()) {
    const std::string place = where.ToString();
    graph.ReportError(Annotate(inner.status(), StrCat("device scope", place.empty() ? "" : " (",
                                                      place, place.empty() ? ": " : "): ")));
    return;
  }
  // The outer scope was parsed when it was opened.
  graph.device_scope_ =
      inner->MergedOver(DeviceName::Parse(outer_).value_or(DeviceName())).ToString();
}

DeviceScope::DeviceScope(Graph& graph, std::nullptr_t)
    : graph_(graph), outer_(graph.device_scope_) {
  graph.device_scope_.clear();
}

DeviceScope::~DeviceScope() {
  graph_.device_scope_ = std::move(outer_);
}

Status Graph::ApplyDeviceScopes(NodeSpec& spec) const {
  if (spec.device.empty()) {
    spec.device = device_scope_;
  } else {
    StatusOr<DeviceName> own = DeviceName::Parse(spec.device);
    if (!own.ok())
      return Annotate(own.status(), StrCat("op '", spec.op, "' node '", spec.name, "': "));
    spec.device =
        own->MergedOver(DeviceName::Parse(device_scope_).value_or(DeviceName())).ToString();
  }
  if (colocation_scope_.empty()) return absl::OkStatus();
  AttrValue::Strings groups;
  for (auto it = colocation_scope_.rbegin(); it != colocation_scope_.rend(); ++it) {
    const Node& with = **it;
    if (&with.graph() != this) {
      return InvalidArgument("op '", spec.op, "' node '", spec.name, "': the node to colocate with, ",
                             with.Describe(), ", belongs to another graph");
    }
    const std::vector<std::string> names = with.colocation();
    for (const std::string& name : names) groups.push_back("loc:@" + name);
    if (names.empty()) groups.push_back("loc:@" + with.name());
    if (!with.requested_device().empty()) spec.device = with.requested_device();
  }
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  spec.attrs.Set("_class", std::move(groups));
  return absl::OkStatus();
}

bool Graph::ControlGroup::Contains(const Node& node) const {
  if (node.id() < begin) return false;
  return std::ranges::none_of(
      gaps, [&](const auto& gap) { return node.id() >= gap.first && node.id() < gap.second; });
}

// A dependency that an input already implies, being one of the group or made inside its scope, is
// left out.
void Graph::ApplyControlScopes(NodeSpec& spec) const {
  for (const ControlGroup& group : control_scope_) {
    const bool implied = std::ranges::any_of(spec.inputs, [&](const Output& input) {
      return input.valid() && group.Contains(*input.node);
    });
    if (implied) continue;
    for (Node* node : group.after) {
      const bool is_input =
          std::ranges::any_of(spec.inputs, [&](const Output& input) { return input.node == node; });
      if (!is_input) spec.control_inputs.push_back(node);
    }
  }
}

void ControlDependencies::Push(std::vector<Node*> after) {
  std::vector<Node*> fresh;
  for (Node* node : after) {
    if (node == nullptr) {
      // An invalid output is the trace of an earlier error, unless there was none.
      if (graph_.status().ok())
        graph_.ReportError(InvalidArgument("a control dependency is no node of the graph"));
      continue;
    }
    const bool known =
        std::ranges::find(fresh, node) != fresh.end() ||
        std::ranges::any_of(graph_.control_scope_, [&](const Graph::ControlGroup& group) {
          return std::ranges::find(group.after, node) != group.after.end();
        });
    if (!known) fresh.push_back(node);
  }
  graph_.control_scope_.push_back({.after = std::move(fresh), .begin = graph_.num_nodes()});
}

ControlDependencies::ControlDependencies(Graph& graph, std::span<const Output> after)
    : graph_(graph) {
  std::vector<Node*> nodes;
  for (const Output& output : after) nodes.push_back(output.node);
  Push(std::move(nodes));
}

ControlDependencies::ControlDependencies(Graph& graph, std::initializer_list<Node*> after)
    : graph_(graph) {
  Push(after);
}

ControlDependencies::ControlDependencies(Graph& graph, std::nullptr_t)
    : graph_(graph),
      forgot_(true),
      begin_(graph.num_nodes()),
      outer_(std::move(graph.control_scope_)) {
  graph.control_scope_.clear();
}

ControlDependencies::~ControlDependencies() {
  if (!forgot_) {
    graph_.control_scope_.pop_back();
    return;
  }
  graph_.control_scope_ = std::move(outer_);
  const int end = graph_.num_nodes();
  if (end == begin_) return;
  for (Graph::ControlGroup& group : graph_.control_scope_) group.gaps.emplace_back(begin_, end);
}

ColocateWith::ColocateWith(Graph& graph, const Node& node)
    : graph_(graph), outer_(graph.colocation_scope_), outer_device_(graph.device_scope_) {
  graph.colocation_scope_.push_back(&node);
  graph.device_scope_.clear();
}

ColocateWith::ColocateWith(Graph& graph, std::nullptr_t)
    : graph_(graph),
      outer_(std::move(graph.colocation_scope_)),
      outer_device_(graph.device_scope_) {
  graph.colocation_scope_.clear();
  graph.device_scope_.clear();
}

ColocateWith::~ColocateWith() {
  graph_.colocation_scope_ = std::move(outer_);
  graph_.device_scope_ = std::move(outer_device_);
}

}  // namespace headrace
