#include "headrace/train/momentum.h"

namespace headrace {

MomentumOptimizer::MomentumOptimizer(Operand learning_rate, Operand momentum, MomentumOptions o)
    : Optimizer(std::move(o.name), o.use_locking),
      learning_rate_arg_(learning_rate),
      momentum_arg_(momentum),
      use_nesterov_(o.use_nesterov) {}

void MomentumOptimizer::CreateSlots(std::span<const Variable> variables) {
  for (const Variable& variable : variables) ZerosSlot(variable, "momentum");
}

void MomentumOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
  momentum_ = Hyper(graph, momentum_arg_, "momentum");
}

Node* MomentumOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  Output learning_rate = Cast(learning_rate_, variable);
  return Update("ApplyMomentum", variable)
      .Input(GetSlot(variable, "momentum").ref())
      .Input(learning_rate)
      .Input(gradient)
      .Input(Cast(momentum_, variable))
      .Attr("use_nesterov", use_nesterov_)
      .BuildNode();
}

Node* MomentumOptimizer::ApplySparse(const IndexedSlices& gradient, const Variable& variable) {
  Output learning_rate = Cast(learning_rate_, variable);
  return Update("SparseApplyMomentum", variable)
      .Input(GetSlot(variable, "momentum").ref())
      .Input(learning_rate)
      .Input(gradient.values)
      .Input(gradient.indices)
      .Input(Cast(momentum_, variable))
      .Attr("use_nesterov", use_nesterov_)
      .BuildNode();
}

}  // namespace headrace
