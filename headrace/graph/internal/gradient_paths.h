// Which nodes lie between xs and ys, and how gradients move among them.
#pragma once

#include <span>
#include <vector>

#include "headrace/graph/gradients.h"

namespace headrace::internal {

// Floating, complex, resource and variant tensors carry gradients; others end them.
bool CarriesGradient(DType type);

// Does an absent gradient of this tensor count as zeros? bfloat16 carries gradients but is not
// filled in.
bool IsTrainable(DType type);

struct GradientNode {
  Node* node = nullptr;
  int pending = 0;      // edges to nodes between xs and ys that have not been gone through yet
  bool stops = false;   // an x or a stop: its own inputs get no gradient
  bool queued = false;  // a y that is among the first to be visited
  std::vector<std::vector<Gradient>> received;  // by output
  std::vector<Gradient> totals;                 // by output, once the node was visited
};

// The nodes on a path from an x to a y.
class GradientPaths {
 public:
  GradientPaths(const Graph& graph, std::span<const Output> ys, std::span<const Output> xs,
                std::span<const Output> stop_gradients);

  // nullptr for a node that is not between.
  GradientNode* Find(const Node& node);
  std::span<GradientNode> nodes() { return nodes_; }

 private:
  void MarkReached(std::span<const Output> xs);
  void CollectBetween(std::span<const Output> ys);
  void CountPending();
  void MarkStops(std::span<const Output> xs, std::span<const Output> stop_gradients);

  std::vector<int> slot_;  // by node id: kUnseen, kReached, or the place in nodes_
  std::vector<GradientNode> nodes_;
};

}  // namespace headrace::internal
