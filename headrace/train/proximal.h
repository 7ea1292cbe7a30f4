// Gradient descent and Adagrad with a proximal step: L1 and L2 penalties that are solved exactly,
// so that L1 gives zeros.
//
//   Node* train = ProximalGradientDescentOptimizer(0.1, {.l1_regularization_strength =
//   1e-3}).Minimize(loss);
#pragma once

#include "headrace/train/optimizer.h"

namespace headrace {

struct ProximalGradientDescentOptions {
  double l1_regularization_strength = 0;  // >= 0
  double l2_regularization_strength = 0;  // >= 0
  bool use_locking = false;
  std::string name = "ProximalGradientDescent";
};

// p = w - lr g; w = sign(p) / (1 + lr l2) * max(|p| - lr l1, 0). Slots: none.
// Source: tf.train.ProximalGradientDescentOptimizer; Duchi and Singer, 2009.
class ProximalGradientDescentOptimizer final : public Optimizer {
 public:
  explicit ProximalGradientDescentOptimizer(Operand learning_rate,
                                            ProximalGradientDescentOptions o = {});

 private:
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;
  Node* Apply(std::string_view op, std::span<const Output> gradient, const Variable& variable);

  Operand learning_rate_arg_;
  double l1_strength_, l2_strength_;
  Output learning_rate_, l1_, l2_;
};

struct ProximalAdagradOptions {
  double initial_accumulator_value = 0.1;  // > 0
  double l1_regularization_strength = 0;   // >= 0
  double l2_regularization_strength = 0;   // >= 0
  bool use_locking = false;
  std::string name = "ProximalAdagrad";
};

// The same with Adagrad's rate lr / sqrt(a). Slots: "accumulator". Source:
// tf.train.ProximalAdagradOptimizer.
class ProximalAdagradOptimizer final : public Optimizer {
 public:
  explicit ProximalAdagradOptimizer(Operand learning_rate, ProximalAdagradOptions o = {});

 private:
  void CreateSlots(std::span<const Variable> variables) override;
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;
  Node* Apply(std::string_view op, std::span<const Output> gradient, const Variable& variable);

  Operand learning_rate_arg_;
  ProximalAdagradOptions options_;
  Output learning_rate_, l1_, l2_;
};

}  // namespace headrace
