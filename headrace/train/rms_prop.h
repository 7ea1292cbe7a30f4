// RMSProp: steps divided by the running root mean square of the gradient.
//
//   Node* train = RMSPropOptimizer(1e-3, {.momentum = 0.9}).Minimize(loss);
#pragma once

#include "headrace/train/optimizer.h"

namespace headrace {

struct RMSPropOptions {
  Operand decay = 0.9;
  Operand momentum = 0.0;
  Operand epsilon = 1e-10;
  bool use_locking = false;
  bool centered = false;  // divides by the deviation from the running mean instead
  std::string name = "RMSProp";
};

// r = decay r + (1 - decay) g^2; m = momentum m + lr g / sqrt(r + epsilon); w -= m. Centered: mg =
// decay mg + (1 - decay) g, and r - mg^2 in place of r. A sparse gradient touches its rows only.
// Slots: "rms" (starts from ones), "momentum", centered also "mg". Source:
// tf.train.RMSPropOptimizer; Tieleman and Hinton, 2012.
class RMSPropOptimizer final : public Optimizer {
 public:
  explicit RMSPropOptimizer(Operand learning_rate, RMSPropOptions o = {});

 private:
  void CreateSlots(std::span<const Variable> variables) override;
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;
  Node* Apply(std::string_view op, std::span<const Output> gradient, const Variable& variable);

  Operand learning_rate_arg_, decay_arg_, momentum_arg_, epsilon_arg_;
  bool centered_;
  Output learning_rate_, decay_, momentum_, epsilon_;
};

}  // namespace headrace
