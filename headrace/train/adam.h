// Adam: steps from running means of the gradient and of its square.
//
//   Node* train = AdamOptimizer().Minimize(loss);
#pragma once

#include "headrace/train/optimizer.h"

namespace headrace {

namespace train {
struct Written;
}

struct AdamOptions {
  Operand beta1 = 0.9;
  Operand beta2 = 0.999;
  Operand epsilon = 1e-8;
  bool use_locking = false;
  std::string name = "Adam";
};

// m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; w -= lr * sqrt(1 - beta2^t) / (1 -
// beta1^t) * m / (sqrt(v) + epsilon). A sparse gradient moves every row, as its means decay
// everywhere. Slots: "m", "v"; two more variables "beta1_power" and "beta2_power" beside the
// variable whose name sorts first. Source: tf.train.AdamOptimizer; Kingma and Ba, 2014 (epsilon is
// their epsilon hat).
class AdamOptimizer final : public Optimizer {
 public:
  explicit AdamOptimizer(Operand learning_rate = 0.001, AdamOptions o = {});

  // Powers of beta so far; invalid before the first ApplyGradients.
  const Variable& beta1_power() const { return beta1_power_; }
  const Variable& beta2_power() const { return beta2_power_; }

 private:
  void CreateSlots(std::span<const Variable> variables) override;
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;
  Node* Finish(Graph& graph, std::span<Node* const> updates, const std::string& name) override;

  Variable Power(const Operand& beta, std::string_view name, const Variable& beside);
  // slot = decay * slot, then scaled rows added; gives the slot after both.
  train::Written DecayAndScatter(const Variable& slot, Output decay, Output indices, Output rows);

  Operand learning_rate_arg_, beta1_arg_, beta2_arg_, epsilon_arg_;
  Variable beta1_power_, beta2_power_;
  Output learning_rate_, beta1_, beta2_, epsilon_;
};

}  // namespace headrace
