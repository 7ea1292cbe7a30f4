// Reverse-mode differentiation of any graph, by adding nodes.
//
//   std::vector<Gradient> g = Gradients(loss, {w, b});     // names under "gradients/"
//   Output dw = g[0].Dense();
//
// The result is graph like any other, so it can be differentiated again. Work is linear in the part of the
// graph between xs and ys. Source: TensorFlow 1's gradients() for naming, order of summation, and which edges stop.
#pragma once

#include <functional>
#include <optional>
#include <span>
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

class GradContext;

struct GradientsOptions {
  std::vector<Output> grad_ys;          // one for each y; an invalid one, or none at all, means ones
  std::vector<Output> stop_gradients;   // treated as constants
  bool colocate_with_ops = false;       // must be where the forward node is; else asks for what it asked for, if it can
  bool zeros_if_unconnected = false;    // instead of an unconnected Gradient
  // The gradients that one op's function gives become usable together, through "tuple/control_dependency" nodes:
  // what TensorFlow's optimizers ask for (gate_gradients).
  bool gate_gradients = false;
  std::string name = "gradients";
  // Gradients that a program states for itself: for a node between xs and ys, what to call instead of its op's own
  // gradient function; empty = the op's own.
  std::function<std::function<Status(GradContext&)>(Node&)> override_gradient;
};

// Gradients of sum(ys) with respect to each x. Errors (to the graph's status as well): InvalidArgument for a
// non-floating y; NotFound-like "No gradient defined for op 'X' node 'n'" when the path crosses an op without one.
std::vector<Gradient> Gradients(std::span<const Output> ys, std::span<const Output> xs,
                                GradientsOptions options = {}, Location where = Location::Current());
inline std::vector<Gradient> Gradients(Output y, std::span<const Output> xs, GradientsOptions options = {},
                                       Location where = Location::Current()) {
  return Gradients(std::span(&y, 1), xs, std::move(options), where);
}
inline std::vector<Gradient> Gradients(Output y, std::initializer_list<Output> xs, GradientsOptions options = {},
                                       Location where = Location::Current()) {
  return Gradients(std::span(&y, 1), std::span(xs.begin(), xs.size()), std::move(options), where);
}

// For an unconnected x: the op at which every path from x to the ys ends, for people ("'Floor' node 'f' has no gradient").
std::string WhyUnconnected(std::span<const Output> ys, Output x);

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
