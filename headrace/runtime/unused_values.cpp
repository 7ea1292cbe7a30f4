// DropUnusedValues.
#include <algorithm>
#include <vector>

#include "headrace/runtime/rewrite.h"
#include "headrace/runtime/special_ops.h"

namespace headrace {
namespace {

// True if nothing but its outputs tells whether the node has run.
bool LeavesNoTrace(const StepNode& node) {
  if (node.kind != StepKind::kKernel) return false;
  const OpDef& op = node.node->op();
  if (op.stateful() || op.blocking() || !op.written_variables().empty() || !NeverFails(op.name())) return false;
  for (int i = 0; i < static_cast<int>(node.inputs.size()); ++i) {
    if (node.takes_ref(i)) return false;
  }
  // With an unknown shape its kernel may find that shapes do not fit: that error must not be lost.
  return std::ranges::all_of(node.shapes, [](const PartialShape& shape) { return shape.is_fully_known(); }) &&
         std::ranges::none_of(node.types, [](DType type) { return IsRef(type); });
}

}  // namespace

void DropUnusedValues(StepGraph& step) {
  std::vector<int> uses(step.nodes().size(), 0);
  std::vector<std::vector<StepNode*>> ordered(step.nodes().size());  // those that only run after the node
  for (StepNode* node : step.nodes()) {
    for (const StepEdge& edge : node->inputs) ++uses[edge.from->id];
    for (StepNode* before : node->controls) ordered[before->id].push_back(node);
  }
  for (const StepEdge& fetch : step.fetches()) ++uses[fetch.from->id];
  for (StepNode* target : step.targets()) ++uses[target->id];
  // Consumers come first, so that what fed only a dropped node is seen as unused in its turn.
  for (auto it = step.nodes().rbegin(); it != step.nodes().rend(); ++it) {
    StepNode* node = *it;
    if (uses[node->id] > 0 || ordered[node->id].empty() || !LeavesNoTrace(*node)) continue;
    std::vector<StepNode*> sources = node->controls;
    for (const StepEdge& edge : node->inputs) {
      --uses[edge.from->id];
      sources.push_back(edge.from);
    }
    for (StepNode* after : ordered[node->id]) {
      std::erase(after->controls, node);
      for (StepNode* source : sources) {
        if (source->kind == StepKind::kFeed || source->kind == StepKind::kConstant) continue;
        const size_t before = after->controls.size();
        AddControl(*after, *source);
        if (after->controls.size() > before) ordered[source->id].push_back(after);
      }
    }
    ordered[node->id].clear();
  }
}

}  // namespace headrace
