// Adadelta: steps scaled by the running mean of past steps over that of gradients.
//
//   Node* train = AdadeltaOptimizer(1.0).Minimize(loss);
#pragma once

#include "headrace/train/optimizer.h"

namespace headrace {

struct AdadeltaOptions {
  Operand rho = 0.95;
  Operand epsilon = 1e-8;
  bool use_locking = false;
  std::string name = "Adadelta";
};

// a = rho a + (1 - rho) g^2; u = sqrt(d + epsilon) / sqrt(a + epsilon) * g; d = rho d + (1 - rho)
// u^2; w -= lr * u. Slots: "accum" (a), "accum_update" (d). Source: tf.train.AdadeltaOptimizer;
// Zeiler, 2012.
class AdadeltaOptimizer final : public Optimizer {
 public:
  explicit AdadeltaOptimizer(Operand learning_rate = 0.001, AdadeltaOptions o = {});

 private:
  void CreateSlots(std::span<const Variable> variables) override;
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;
  Node* Apply(std::string_view op, std::span<const Output> gradient, const Variable& variable);

  Operand learning_rate_arg_, rho_arg_, epsilon_arg_;
  Output learning_rate_, rho_, epsilon_;
};

}  // namespace headrace
