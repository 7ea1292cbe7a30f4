// Gradient descent with momentum, also Nesterov's.
//
//   Node* train = MomentumOptimizer(0.1, 0.9, {.use_nesterov = true}).Minimize(loss);
#pragma once

#include "headrace/train/optimizer.h"

namespace headrace {

struct MomentumOptions {
  bool use_nesterov = false;
  bool use_locking = false;
  std::string name = "Momentum";
};

// a = momentum * a + g; w -= learning_rate * a. With use_nesterov: w -= learning_rate * (g +
// momentum * a). Slots: "momentum". Source: tf.train.MomentumOptimizer; Sutskever et al., 2013.
class MomentumOptimizer final : public Optimizer {
 public:
  MomentumOptimizer(Operand learning_rate, Operand momentum, MomentumOptions o = {});

 private:
  void CreateSlots(std::span<const Variable> variables) override;
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;

  Operand learning_rate_arg_, momentum_arg_;
  bool use_nesterov_;
  Output learning_rate_, momentum_;
};

}  // namespace headrace
