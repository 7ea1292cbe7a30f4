// Plain gradient descent.
//
//   Node* train = GradientDescentOptimizer(0.1).Minimize(loss);
#pragma once

#include "headrace/train/optimizer.h"

namespace headrace {

struct GradientDescentOptions {
  bool use_locking = false;
  std::string name = "GradientDescent";
};

// w -= learning_rate * g. Slots: none. Sparse gradients: rows are subtracted one by one, repeated
// ones too. Source: tf.train.GradientDescentOptimizer.
class GradientDescentOptimizer final : public Optimizer {
 public:
  explicit GradientDescentOptimizer(Operand learning_rate, GradientDescentOptions o = {});

 private:
  void Prepare(Graph& graph) override;
  Node* ApplyDense(Output gradient, const Variable& variable) override;
  Node* ApplySparse(const IndexedSlices& gradient, const Variable& variable) override;
  Node* ApplySparseWithRepeats(const IndexedSlices& gradient, const Variable& variable) override;

  Operand learning_rate_arg_;
  Output learning_rate_;
};

}  // namespace headrace
