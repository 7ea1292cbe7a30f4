// What the gradient function of an op works with. Calling for gradients is graph/gradients.h.
//
//   Status ReluGradient(GradContext& g) {
//     g.Set(0, NodeBuilder("ReluGrad", "", g.where()).Input(g.grad()).Input(g.output(0)).Build());
//     return absl::OkStatus();
//   }
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "headrace/graph/graph.h"

namespace headrace {

// Rows of a gradient that is zero elsewhere: row indices[i] of the dense gradient gets values[i] added.
struct IndexedSlices {
  Output values;       // [n, ...]
  Output indices;      // [n], int32 or int64
  Output dense_shape;  // int vector; may be invalid
};

// A gradient: nothing (y does not depend on x), a dense tensor, or slices.
struct Gradient {
  Output dense;
  std::optional<IndexedSlices> slices;

  bool connected() const { return dense.valid() || slices.has_value(); }
  // Dense form; slices are summed with UnsortedSegmentSum. Invalid if not connected.
  Output Dense() const;
};

// What the gradient function of an op sees. Nodes it makes are named under "<name>/<op>_grad/".
class GradContext {
 public:
  // `zeros[i]`, where it is there and valid, stands for a gradient that did not flow into output i.
  GradContext(Node& node, std::vector<Gradient> output_grads, std::vector<Output> zeros = {});

  Graph& graph() const { return node_.graph(); }
  Node& node() const { return node_; }
  const AttrMap& attrs() const { return node_.attrs(); }
  Location where() const { return node_.location(); }
  int num_inputs() const { return node_.num_inputs(); }
  Output input(int i) const { return node_.input(i); }
  Output output(int i) const { return node_.output(i); }
  int num_outputs() const { return node_.num_outputs(); }
  bool has_grad(int output) const { return grads_[output].connected(); }
  // Dense gradient of an output; zeros like it when nothing flowed in.
  Output grad(int output = 0);
  const Gradient& gradient(int output) const { return grads_[output]; }

  void Set(int input, Output grad) { results_[input].dense = grad; }
  void Set(int input, IndexedSlices grad) { results_[input].slices = grad; }
  std::vector<Gradient>& results() { return results_; }

 private:
  Node& node_;
  std::vector<Gradient> grads_, results_;
  std::vector<Output> zeros_;
};

}  // namespace headrace
