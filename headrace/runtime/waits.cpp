#include "headrace/runtime/internal/waits.h"

#include <algorithm>

#include "headrace/runtime/special_ops.h"

namespace headrace {
namespace {

bool Waits(const StepNode& node) {
  return node.kind == StepKind::kKernel && node.node->op().blocking();
}

bool EndsWaits(const StepNode& node) {
  return node.kind == StepKind::kKernel && TraitOf(node.node->op_name()) == OpTrait::kEndsWaits;
}

// By id: what `node` needs, itself included.
std::vector<bool> NeededBy(const StepGraph& step, const StepNode& node) {
  std::vector<bool> needed(step.nodes().size(), false);
  std::vector<const StepNode*> pending{&node};
  needed[node.id] = true;
  const auto add = [&](const StepNode* from) {
    if (needed[from->id]) return;
    needed[from->id] = true;
    pending.push_back(from);
  };
  while (!pending.empty()) {
    const StepNode& next = *pending.back();
    pending.pop_back();
    for (const StepEdge& edge : next.inputs) add(edge.from);
    for (const StepNode* control : next.controls) add(control);
  }
  return needed;
}

// Both take from one queue, and neither adds to it.
bool TakeFromSameQueue(const StepNode& a, const StepNode& b) {
  const auto takes = [](const StepNode& node) {
    return node.num_outputs() > 0 && !node.inputs.empty();
  };
  return takes(a) && takes(b) && a.inputs[0] == b.inputs[0];
}

bool RunsElsewhere(const StepNode& node) {
  return node.device != 0 && (node.kind == StepKind::kKernel || node.kind == StepKind::kRead);
}

bool OnSeveralDevices(const StepGraph& step) {
  return std::ranges::any_of(step.nodes(),
                             [](const StepNode* node) { return RunsElsewhere(*node); });
}

}  // namespace

bool CanWaitInOrder(const StepGraph& step) {
  std::vector<const StepNode*> waits, enders;
  std::vector<std::vector<bool>> needed;
  for (const StepNode* node : step.nodes()) {
    if (Waits(*node)) {
      waits.push_back(node);
      needed.push_back(NeededBy(step, *node));
    } else if (EndsWaits(*node)) {
      enders.push_back(node);
    }
  }
  for (size_t i = 0; i < waits.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      const bool ordered = needed[i][waits[k]->id] || needed[k][waits[i]->id];
      if (!ordered && !TakeFromSameQueue(*waits[i], *waits[k])) return false;
    }
    for (const StepNode* ender : enders) {
      if (!needed[i][ender->id] && !NeededBy(step, *ender)[waits[i]->id]) return false;
    }
  }
  if (!OnSeveralDevices(step)) return true;
  for (const StepNode* node : step.nodes()) {
    const bool early = std::ranges::any_of(
        needed, [&](const std::vector<bool>& needs) { return needs[node->id]; });
    if (early && RunsElsewhere(*node)) return false;
  }
  return true;
}

std::vector<bool> NodesBeforeWaits(const StepGraph& step) {
  std::vector<bool> early(step.nodes().size(), false);
  if (!step.has_blocking() || !OnSeveralDevices(step)) return early;
  for (const StepNode* node : step.nodes()) {
    if (!Waits(*node)) continue;
    const std::vector<bool> needed = NeededBy(step, *node);
    for (size_t id = 0; id < needed.size(); ++id) early[id] = early[id] || needed[id];
  }
  return early;
}

}  // namespace headrace
