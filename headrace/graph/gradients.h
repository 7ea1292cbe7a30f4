// Reverse-mode differentiation of any graph, by adding nodes.
//
//   std::vector<Gradient> g = Gradients(loss, {w, b});     // names under "gradients/"
//   Output dw = g[0].Dense();
//
// The result is graph like any other, so it can be differentiated again. Work is linear in the part of the
// graph between xs and ys. Source: TensorFlow 1's gradients() for naming, order of summation, and which edges stop.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "headrace/graph/grad_context.h"

namespace headrace {

struct GradientsOptions {
  std::vector<Output> grad_ys;         // one for each y; an invalid one, or none at all, means ones
  std::vector<Output> stop_gradients;  // treated as constants
  bool colocate_with_ops =
      false;  // must be where the forward node is; else asks for what it asked for, if it can
  bool zeros_if_unconnected = false;  // instead of an unconnected Gradient
  // The gradients that one op's function gives become usable together, through "tuple/control_dependency" nodes:
  // what TensorFlow's optimizers ask for (gate_gradients).
  bool gate_gradients = false;
  std::string name = "gradients";
  // Gradients that a program states for itself: for a node between xs and ys, what to call instead of its op's own
  // gradient function; empty = the op's own.
  std::function<std::function<Status(GradContext&)>(Node&)> override_gradient;
};

// Gradients of sum(ys) with respect to each x; none of them is connected after an error, which is the graph's:
// InvalidArgument for a y that is not floating; NotFound "No gradient defined for operation 'n' (op type: X)" when a path
// crosses an op without one.
std::vector<Gradient> Gradients(std::span<const Output> ys, std::span<const Output> xs,
                                GradientsOptions options = {},
                                Location where = Location::Current());
inline std::vector<Gradient> Gradients(Output y, std::span<const Output> xs,
                                       GradientsOptions options = {},
                                       Location where = Location::Current()) {
  return Gradients(std::span(&y, 1), xs, std::move(options), where);
}
inline std::vector<Gradient> Gradients(Output y, std::initializer_list<Output> xs,
                                       GradientsOptions options = {},
                                       Location where = Location::Current()) {
  return Gradients(std::span(&y, 1), std::span(xs.begin(), xs.size()), std::move(options), where);
}

// For an unconnected x: the op at which every path from x to the ys ends, for people ("'Floor' node 'f' has no gradient").
std::string WhyUnconnected(std::span<const Output> ys, Output x);

}  // namespace headrace
