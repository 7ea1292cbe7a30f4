// Where differentiation meets control flow. A loop of TensorFlow-1 graphs (Enter, Merge, Switch,
// Exit, NextIteration) is differentiated by a second loop that runs backwards: when its exits are
// due, which context the gradient nodes are made in, and what zeros are like inside it, are the
// questions below. Code without loops has the plain answers.
#pragma once

#include <memory>

#include "headrace/graph/internal/gradient_paths.h"

namespace headrace::internal {

class GradientFlow {
 public:
  // Unimplemented, naming the node, when a loop lies between xs and ys.
  static StatusOr<std::unique_ptr<GradientFlow>> Make(GradientPaths& paths);

  virtual ~GradientFlow() = default;
  // Around everything that is made for one node.
  virtual void Enter(Node& node) {}
  virtual void Leave(Node& node) {}
  // May the gradient of `node` be computed, with that many edges not gone through?
  virtual bool IsReady(const Node& node, int pending) { return pending == 0; }
  // Zeros in place of a gradient that did not flow into an output.
  virtual Output Zeros(Output output, Location where);
};

}  // namespace headrace::internal
