// FTRL-proximal: online learning with exact zeros through L1.
//
//   Node* train = FtrlOptimizer(0.1, {.l1_regularization_strength = 1e-3}).Minimize(loss);
#pragma once

#include "headrace/train/optimizer.h"

namespace headrace {

struct FtrlOptions {
  double learning_rate_power = -0.5;       // <= 0
  double initial_accumulator_value = 0.1;  // >= 0
  double l1_regularization_strength = 0;   // >= 0
  double l2_regularization_strength = 0;   // >= 0
  bool use_locking = false;
  std::string name = "Ftrl";
  std::string accum_name, linear_name;  // of the slots' variables; "" = `name`
  // >= 0; a penalty on the size of the weights themselves.
  double l2_shrinkage_regularization_strength = 0;
};

// Slots: "accum", "linear". Source: tf.train.FtrlOptimizer; McMahan et al., 2013.
class FtrlOptimizer final : public Optimizer {
 public:
  explicit FtrlOptimizer(Operand learning_rate, FtrlOptions o = {});

 private:
  void CreateSlots(std::span<const Variable> variables) override;
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;
  Node* Apply(std::string_view op, std::span<const Output> gradient, const Variable& variable);

  Operand learning_rate_arg_;
  FtrlOptions options_;
  Output learning_rate_, l1_, l2_, l2_shrinkage_, power_;
};

}  // namespace headrace
