#include "headrace/graph/internal/graph_file.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "headrace/base/strings.h"
#include "headrace/graph/internal/names.h"

namespace headrace::internal {
namespace {

bool IsMerge(const proto::NodeDef& node) {
  return node.op() == "Merge" || node.op() == "RefMerge";
}
bool IsNextIteration(const proto::NodeDef& node) {
  return node.op() == "NextIteration" || node.op() == "RefNextIteration";
}

}  // namespace

StatusOr<InputName> ParseInputName(std::string_view text) {
  InputName name;
  name.node = text;
  if (text.starts_with('^')) {
    name.control = true;
    name.node.remove_prefix(1);
  } else if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    const std::optional<int64_t> index = ParseInt(text.substr(colon + 1));
    if (!index || *index < 0 || *index > 1'000'000'000) {
      return InvalidArgument("input '", EscapeC(text),
                             "' is not of the form 'node', 'node:1' or '^node'");
    }
    name.index = static_cast<int>(*index);
    name.node = text.substr(0, colon);
  }
  if (name.node.empty()) return InvalidArgument("input '", EscapeC(text), "' names no node");
  return name;
}

int GraphFile::Find(std::string_view node) const {
  auto it = by_name_.find(node);
  return it == by_name_.end() ? -1 : it->second;
}

Status GraphFile::CollectNames(const proto::GraphDef& graph) {
  entries_.resize(static_cast<size_t>(graph.node_size()));
  by_name_.reserve(entries_.size());
  for (int i = 0; i < graph.node_size(); ++i) {
    const proto::NodeDef& node = graph.node(i);
    if (!IsValidNodeName(node.name())) {
      return InvalidArgument("node ", i, " (op '", EscapeC(node.op()), "'): '",
                             EscapeC(node.name()), "' is not a valid node name");
    }
    if (!by_name_.emplace(node.name(), i).second)
      return InvalidArgument("two nodes are named '", node.name(), "'");
    entries_[static_cast<size_t>(i)].def = &node;
  }
  return absl::OkStatus();
}

Status GraphFile::AddEdge(int to, std::string_view text, bool mapped) {
  Entry& entry = entries_[static_cast<size_t>(to)];
  StatusOr<InputName> name = ParseInputName(text);
  if (!name.ok()) return Annotate(name.status(), StrCat("node '", entry.def->name(), "': "));
  Edge edge{.name = *name, .text = text};
  if (!mapped) {
    edge.from = Find(name->node);
    if (edge.from < 0) {
      return InvalidArgument("Node '", entry.def->name(), "': Unknown input node '", EscapeC(text),
                             "'");
    }
    edge.back = !name->control && IsMerge(*entry.def) &&
                IsNextIteration(*entries_[static_cast<size_t>(edge.from)].def);
  }
  if (!name->control && !entry.controls.empty()) {
    return InvalidArgument("node '", entry.def->name(), "': input '", EscapeC(text),
                           "' comes after a control input");
  }
  (name->control ? entry.controls : entry.inputs).push_back(edge);
  return absl::OkStatus();
}

Status GraphFile::Sort() {
  std::vector<int> pending(entries_.size(), 0);
  std::vector<std::vector<int>> consumers(entries_.size());
  for (size_t i = 0; i < entries_.size(); ++i) {
    for (const std::vector<Edge>* edges : {&entries_[i].inputs, &entries_[i].controls}) {
      for (const Edge& edge : *edges) {
        if (edge.from < 0 || edge.back) continue;
        ++pending[i];
        consumers[static_cast<size_t>(edge.from)].push_back(static_cast<int>(i));
      }
    }
  }
  std::priority_queue<int, std::vector<int>, std::greater<int>> ready;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (pending[i] == 0) ready.push(static_cast<int>(i));
  }
  order_.reserve(entries_.size());
  while (!ready.empty()) {
    const int node = ready.top();
    ready.pop();
    order_.push_back(node);
    for (int consumer : consumers[static_cast<size_t>(node)]) {
      if (--pending[static_cast<size_t>(consumer)] == 0) ready.push(consumer);
    }
  }
  return order_.size() == entries_.size() ? absl::OkStatus() : Cycle(pending);
}

// Each node that is left waits for another: following those comes back to where it has been.
Status GraphFile::Cycle(const std::vector<int>& pending) const {
  size_t at = static_cast<size_t>(std::ranges::find_if(pending, [](int n) { return n > 0; }) -
                                  pending.begin());
  std::vector<size_t> path;
  std::vector<bool> seen(entries_.size(), false);
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    for (const std::vector<Edge>* edges : {&entries_[at].inputs, &entries_[at].controls}) {
      auto next = std::ranges::find_if(*edges, [&](const Edge& edge) {
        return edge.from >= 0 && !edge.back && pending[static_cast<size_t>(edge.from)] > 0;
      });
      if (next == edges->end()) continue;
      at = static_cast<size_t>(next->from);
      break;
    }
  }
  path.erase(path.begin(), std::ranges::find(path, at));
  std::ranges::reverse(path);  // in the direction of the edges
  constexpr size_t kMost = 6;
  std::string text = StrCat("'", entries_[at].def->name(), "'");
  for (size_t i = 0; i + 1 < path.size() && i < kMost; ++i)
    StrAppend(&text, " -> '", entries_[path[i]].def->name(), "'");
  if (path.size() > kMost) StrAppend(&text, " -> ...");
  return InvalidArgument("the graph has a cycle: ", text, " -> '", entries_[at].def->name(),
                         "'; only loops may have one, from NextIteration to Merge");
}

}  // namespace headrace::internal
