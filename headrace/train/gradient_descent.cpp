#include "headrace/train/gradient_descent.h"

#include "headrace/ops/state/resource_variable.h"
#include "headrace/train/internal/nodes.h"

namespace headrace {

GradientDescentOptimizer::GradientDescentOptimizer(Operand learning_rate, GradientDescentOptions o)
    : Optimizer(std::move(o.name), o.use_locking), learning_rate_arg_(learning_rate) {}

void GradientDescentOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
}

Node* GradientDescentOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  return Update("ApplyGradientDescent", variable)
      .Input(Cast(learning_rate_, variable))
      .Input(gradient)
      .BuildNode();
}

Node* GradientDescentOptimizer::ApplySparse(const IndexedSlices& gradient,
                                            const Variable& variable) {
  if (variable.is_resource()) {
    const Output downhill = train::Call("Neg", {gradient.values}, where());
    return ResourceScatterAdd(variable.ref(), gradient.indices,
                              train::Mul(downhill, learning_rate_arg_, where()), {}, where());
  }
  Output step = train::Mul(gradient.values, Cast(learning_rate_, variable), where());
  return Update("ScatterSub", variable).Input(gradient.indices).Input(step).BuildNode();
}

// A sum of rows needs no grouping first: subtraction is linear.
Node* GradientDescentOptimizer::ApplySparseWithRepeats(const IndexedSlices& gradient,
                                                       const Variable& variable) {
  return ApplySparse(gradient, variable);
}

}  // namespace headrace
