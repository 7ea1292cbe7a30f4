#include <algorithm>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/graph/internal/gradient_paths.h"

namespace headrace {
namespace {

// Nodes that a y is computed from, whatever the dtypes on the way.
std::set<const Node*> Ancestors(std::span<const Output> ys) {
  std::set<const Node*> seen;
  std::vector<const Node*> stack;
  for (const Output& y : ys) {
    if (y.valid() && seen.insert(y.node).second) stack.push_back(y.node);
  }
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    for (const Output& input : node->inputs()) {
      if (seen.insert(input.node).second) stack.push_back(input.node);
    }
  }
  return seen;
}

// "" if a gradient may pass from this output through the node that takes it.
std::string EndOf(const Node& from, const Node::Edge& edge) {
  const DType type = from.output_type(edge.from_output);
  if (!internal::CarriesGradient(type)) {
    return StrCat("'", from.op_name(), "' node '", from.name(), "' gives ",
                  DTypeName(RemoveRef(type)), ", which carries no gradient");
  }
  if (edge.to->op().no_gradient())
    return StrCat("'", edge.to->op_name(), "' node '", edge.to->name(), "' has no gradient");
  return "";
}

}  // namespace

std::string WhyUnconnected(std::span<const Output> ys, Output x) {
  if (!x.valid()) return "x is no output of a node";
  const std::set<const Node*> above_y = Ancestors(ys);
  if (!above_y.contains(x.node)) return StrCat("no y is computed from '", x.name(), "'");
  std::vector<std::string> ends;
  std::set<const Node*> seen{x.node};
  std::vector<const Node*> queue{x.node};
  bool arrived = std::ranges::any_of(ys, [&](const Output& y) { return y == x; });
  for (size_t i = 0; i < queue.size(); ++i) {
    const Node& node = *queue[i];
    for (const Node::Edge& edge : node.out_edges()) {
      if (!above_y.contains(edge.to) || (i == 0 && edge.from_output != x.index)) continue;
      std::string end = EndOf(node, edge);
      if (!end.empty()) {
        if (std::ranges::find(ends, end) == ends.end()) ends.push_back(std::move(end));
        continue;
      }
      arrived =
          arrived || std::ranges::any_of(ys, [&](const Output& y) { return y.node == edge.to; });
      if (seen.insert(edge.to).second) queue.push_back(edge.to);
    }
  }
  if (arrived)
    return StrCat(
        "'", x.name(),
        "' is connected to a y; if it has no gradient, an op on the way gives none for its input");
  constexpr size_t kMost = 3;
  const size_t more = ends.size() > kMost ? ends.size() - kMost : 0;
  ends.resize(ends.size() - more);
  return StrCat(StrJoin(ends, "; "), more == 0 ? "" : StrCat("; and ", more, " more"));
}

}  // namespace headrace
