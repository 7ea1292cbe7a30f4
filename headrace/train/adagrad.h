// Adagrad: each element's rate falls with the squares of its gradients so far.
//
//   Node* train = AdagradOptimizer(0.1).Minimize(loss);
#pragma once

#include "headrace/train/optimizer.h"

namespace headrace {

struct AdagradOptions {
  double initial_accumulator_value = 0.1;  // > 0
  bool use_locking = false;
  std::string name = "Adagrad";
};

// a += g^2; w -= learning_rate * g / sqrt(a). Slots: "accumulator". Source:
// tf.train.AdagradOptimizer; Duchi et al., 2011.
class AdagradOptimizer final : public Optimizer {
 public:
  explicit AdagradOptimizer(Operand learning_rate, AdagradOptions o = {});

 private:
  void CreateSlots(std::span<const Variable> variables) override;
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;

  Operand learning_rate_arg_;
  double initial_accumulator_value_;
  Output learning_rate_;
};

struct AdagradDAOptions {
  double initial_gradient_squared_accumulator_value = 0.1;  // > 0
  double l1_regularization_strength = 0;                    // >= 0
  double l2_regularization_strength = 0;                    // >= 0
  bool use_locking = false;
  std::string name = "AdagradDA";
};

// Adagrad with dual averaging: the weights follow from the sums of gradients alone, and L1 makes
// them exactly zero. The number of the step is taken from `global_step`. Slots:
// "gradient_accumulator", "gradient_squared_accumulator". Source: tf.train.AdagradDAOptimizer;
// Duchi et al., 2011.
class AdagradDAOptimizer final : public Optimizer {
 public:
  AdagradDAOptimizer(Operand learning_rate, Variable global_step, AdagradDAOptions o = {});

 private:
  void CreateSlots(std::span<const Variable> variables) override;
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;
  Node* Apply(std::string_view op, std::span<const Output> gradient, const Variable& variable);

  Operand learning_rate_arg_;
  Variable global_step_;
  AdagradDAOptions options_;
  Output learning_rate_, step_;
};

}  // namespace headrace
