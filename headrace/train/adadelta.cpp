#include "headrace/train/adadelta.h"

namespace headrace {

AdadeltaOptimizer::AdadeltaOptimizer(Operand learning_rate, AdadeltaOptions o)
    : Optimizer(std::move(o.name), o.use_locking),
      learning_rate_arg_(learning_rate),
      rho_arg_(o.rho),
      epsilon_arg_(o.epsilon) {}

void AdadeltaOptimizer::CreateSlots(std::span<const Variable> variables) {
  for (const Variable& variable : variables) {
    ZerosSlot(variable, "accum");
    ZerosSlot(variable, "accum_update");
  }
}

void AdadeltaOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "lr");
  rho_ = Hyper(graph, rho_arg_, "rho");
  epsilon_ = Hyper(graph, epsilon_arg_, "epsilon");
}

Node* AdadeltaOptimizer::Apply(std::string_view op, std::span<const Output> gradient,
                               const Variable& variable) {
  NodeBuilder update = Update(op, variable);
  update.Input(GetSlot(variable, "accum").ref()).Input(GetSlot(variable, "accum_update").ref());
  for (Output scalar : {learning_rate_, rho_, epsilon_}) update.Input(Cast(scalar, variable));
  return update.Inputs(gradient).BuildNode();
}

Node* AdadeltaOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  return Apply("ApplyAdadelta", std::span(&gradient, 1), variable);
}

Node* AdadeltaOptimizer::ApplySparse(const IndexedSlices& gradient, const Variable& variable) {
  const Output inputs[] = {gradient.values, gradient.indices};
  return Apply("SparseApplyAdadelta", inputs, variable);
}

}  // namespace headrace
