#include "headrace/graph/internal/gradient_paths.h"

namespace headrace::internal {
namespace {

constexpr int kUnseen = -1, kReached = -2;
constexpr DTypeSet kTrainable = (kFloatTypes - DTypeSet(DType::kBFloat16)) | kComplexTypes |
                                DTypeSet(DType::kResource, DType::kVariant);

}  // namespace

bool CarriesGradient(DType type) {
  return IsTrainable(type) || RemoveRef(type) == DType::kBFloat16;
}
bool IsTrainable(DType type) {
  return kTrainable.Contains(RemoveRef(type));
}

GradientPaths::GradientPaths(const Graph& graph, std::span<const Output> ys,
                             std::span<const Output> xs, std::span<const Output> stop_gradients)
    : slot_(static_cast<size_t>(graph.num_nodes()), kUnseen) {
  MarkReached(xs);
  CollectBetween(ys);
  CountPending();
  MarkStops(xs, stop_gradients);
}

GradientNode* GradientPaths::Find(const Node& node) {
  if (node.id() >= static_cast<int>(slot_.size())) return nullptr;
  const int slot = slot_[static_cast<size_t>(node.id())];
  return slot < 0 ? nullptr : &nodes_[static_cast<size_t>(slot)];
}

void GradientPaths::MarkReached(std::span<const Output> xs) {
  std::vector<const Node*> stack;
  auto visit = [&](const Node* node) {
    int& slot = slot_[static_cast<size_t>(node->id())];
    if (slot != kUnseen) return;
    slot = kReached;
    stack.push_back(node);
  };
  for (const Output& x : xs) visit(x.node);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    for (const Node::Edge& edge : node->out_edges()) {
      if (CarriesGradient(node->output_type(edge.from_output))) visit(edge.to);
    }
  }
}

void GradientPaths::CollectBetween(std::span<const Output> ys) {
  auto visit = [&](Node* node) {
    int& slot = slot_[static_cast<size_t>(node->id())];
    if (slot != kReached) return;
    slot = static_cast<int>(nodes_.size());
    nodes_.push_back({.node = node});
  };
  for (const Output& y : ys) visit(y.node);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Node* node = nodes_[i].node;
    for (const Output& input : node->inputs()) visit(input.node);
  }
  for (GradientNode& between : nodes_) {
    between.received.resize(static_cast<size_t>(between.node->num_outputs()));
  }
}

void GradientPaths::CountPending() {
  for (const GradientNode& between : nodes_) {
    for (const Output& input : between.node->inputs()) {
      if (GradientNode* producer = Find(*input.node)) ++producer->pending;
    }
  }
}

// An x is gone through only if another x lies above it.
void GradientPaths::MarkStops(std::span<const Output> xs, std::span<const Output> stop_gradients) {
  for (const Output& x : xs) {
    GradientNode* node = Find(*x.node);
    if (node == nullptr) continue;
    bool above = false;
    for (const Output& input : x.node->inputs()) {
      const GradientNode* producer = Find(*input.node);
      above = above || (producer != nullptr && producer->pending > 0);
    }
    node->stops = node->stops || !above;
  }
  for (const Output& stop : stop_gradients) {
    if (GradientNode* node = Find(*stop.node)) node->stops = true;
  }
}

}  // namespace headrace::internal
