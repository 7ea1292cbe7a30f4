#include "headrace/train/rms_prop.h"

namespace headrace {

RMSPropOptimizer::RMSPropOptimizer(Operand learning_rate, RMSPropOptions o)
    : Optimizer(std::move(o.name), o.use_locking),
      learning_rate_arg_(learning_rate),
      decay_arg_(o.decay),
      momentum_arg_(o.momentum),
      epsilon_arg_(o.epsilon),
      centered_(o.centered) {}

void RMSPropOptimizer::CreateSlots(std::span<const Variable> variables) {
  for (const Variable& variable : variables) {
    ConstantSlot(variable, "rms", 1, "ones");
    if (centered_) ZerosSlot(variable, "mg");
    ZerosSlot(variable, "momentum");
  }
}

void RMSPropOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
  decay_ = Hyper(graph, decay_arg_, "decay");
  momentum_ = Hyper(graph, momentum_arg_, "momentum");
  epsilon_ = Hyper(graph, epsilon_arg_, "epsilon");
}

Node* RMSPropOptimizer::Apply(std::string_view op, std::span<const Output> gradient,
                              const Variable& variable) {
  NodeBuilder update = Update(op, variable);
  if (centered_) update.Input(GetSlot(variable, "mg").ref());
  update.Input(GetSlot(variable, "rms").ref()).Input(GetSlot(variable, "momentum").ref());
  for (Output scalar : {learning_rate_, decay_, momentum_, epsilon_})
    update.Input(Cast(scalar, variable));
  return update.Inputs(gradient).BuildNode();
}

Node* RMSPropOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  return Apply(centered_ ? "ApplyCenteredRMSProp" : "ApplyRMSProp", std::span(&gradient, 1),
               variable);
}

Node* RMSPropOptimizer::ApplySparse(const IndexedSlices& gradient, const Variable& variable) {
  const Output inputs[] = {gradient.values, gradient.indices};
  return Apply(centered_ ? "SparseApplyCenteredRMSProp" : "SparseApplyRMSProp", inputs, variable);
}

}  // namespace headrace
