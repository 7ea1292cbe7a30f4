#include "headrace/train/proximal.h"

namespace headrace {

ProximalGradientDescentOptimizer::ProximalGradientDescentOptimizer(Operand learning_rate,
                                                                   ProximalGradientDescentOptions o)
    : Optimizer(std::move(o.name), o.use_locking),
      learning_rate_arg_(learning_rate),
      l1_strength_(o.l1_regularization_strength),
      l2_strength_(o.l2_regularization_strength) {}

void ProximalGradientDescentOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
  l1_ = Hyper(graph, l1_strength_, "l1_regularization_strength");
  l2_ = Hyper(graph, l2_strength_, "l2_regularization_strength");
}

Node* ProximalGradientDescentOptimizer::Apply(std::string_view op, std::span<const Output> gradient,
                                              const Variable& variable) {
  NodeBuilder update = Update(op, variable);
  for (Output scalar : {learning_rate_, l1_, l2_}) update.Input(Cast(scalar, variable));
  return update.Inputs(gradient).BuildNode();
}

Node* ProximalGradientDescentOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  return Apply("ApplyProximalGradientDescent", std::span(&gradient, 1), variable);
}

Node* ProximalGradientDescentOptimizer::ApplySparse(const IndexedSlices& gradient,
                                                    const Variable& variable) {
  const Output inputs[] = {gradient.values, gradient.indices};
  return Apply("SparseApplyProximalGradientDescent", inputs, variable);
}

ProximalAdagradOptimizer::ProximalAdagradOptimizer(Operand learning_rate, ProximalAdagradOptions o)
    : Optimizer(o.name, o.use_locking), learning_rate_arg_(learning_rate), options_(std::move(o)) {}

void ProximalAdagradOptimizer::CreateSlots(std::span<const Variable> variables) {
  const double initial = options_.initial_accumulator_value;
  Require(*variables.front().ref().graph(), initial > 0, "initial_accumulator_value", "positive",
          initial);
  for (const Variable& variable : variables) {
    Output accumulated = ConstantLike(variable, initial);
    SlotFrom(variable, "accumulator", accumulated);
  }
}

void ProximalAdagradOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
  l1_ = Hyper(graph, options_.l1_regularization_strength, "l1_regularization_strength");
  l2_ = Hyper(graph, options_.l2_regularization_strength, "l2_regularization_strength");
}

Node* ProximalAdagradOptimizer::Apply(std::string_view op, std::span<const Output> gradient,
                                      const Variable& variable) {
  NodeBuilder update = Update(op, variable);
  update.Input(GetSlot(variable, "accumulator").ref());
  for (Output scalar : {learning_rate_, l1_, l2_}) update.Input(Cast(scalar, variable));
  return update.Inputs(gradient).BuildNode();
}

Node* ProximalAdagradOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  return Apply("ApplyProximalAdagrad", std::span(&gradient, 1), variable);
}

Node* ProximalAdagradOptimizer::ApplySparse(const IndexedSlices& gradient,
                                            const Variable& variable) {
  const Output inputs[] = {gradient.values, gradient.indices};
  return Apply("SparseApplyProximalAdagrad", inputs, variable);
}

}  // namespace headrace
