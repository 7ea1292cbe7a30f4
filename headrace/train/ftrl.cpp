#include "headrace/train/ftrl.h"

#include "headrace/base/strings.h"

namespace headrace {

FtrlOptimizer::FtrlOptimizer(Operand learning_rate, FtrlOptions o)
    : Optimizer(o.name, o.use_locking), learning_rate_arg_(learning_rate), options_(std::move(o)) {}

void FtrlOptimizer::CreateSlots(std::span<const Variable> variables) {
  Graph& graph = *variables.front().ref().graph();
  const FtrlOptions& o = options_;
  Require(graph, o.initial_accumulator_value >= 0, "initial_accumulator_value", "positive or zero",
          o.initial_accumulator_value);
  Require(graph, o.learning_rate_power <= 0, "learning_rate_power", "negative or zero",
          o.learning_rate_power);
  Require(graph, o.l1_regularization_strength >= 0, "l1_regularization_strength",
          "positive or zero", o.l1_regularization_strength);
  Require(graph, o.l2_regularization_strength >= 0, "l2_regularization_strength",
          "positive or zero", o.l2_regularization_strength);
  Require(graph, o.l2_shrinkage_regularization_strength >= 0,
          "l2_shrinkage_regularization_strength", "positive or zero",
          o.l2_shrinkage_regularization_strength);
  for (const Variable& variable : variables) {
    Output accumulated = ConstantLike(variable, o.initial_accumulator_value);
    SlotFrom(variable, "accum", accumulated, o.accum_name);
    ZerosSlot(variable, "linear", o.linear_name);
  }
}

void FtrlOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
  l1_ = Hyper(graph, options_.l1_regularization_strength, "l1_regularization_strength");
  l2_ = Hyper(graph, options_.l2_regularization_strength, "l2_regularization_strength");
  l2_shrinkage_ = Hyper(graph, options_.l2_shrinkage_regularization_strength,
                        "l2_shrinkage_regularization_strength");
  power_ = Hyper(graph, options_.learning_rate_power, "learning_rate_power");
}

Node* FtrlOptimizer::Apply(std::string_view op, std::span<const Output> gradient,
                           const Variable& variable) {
  const bool shrinks = options_.l2_shrinkage_regularization_strength > 0;
  NodeBuilder update = Update(shrinks ? StrCat(op, "V2") : std::string(op), variable);
  update.Input(GetSlot(variable, "accum").ref())
      .Input(GetSlot(variable, "linear").ref())
      .Inputs(gradient)
      .Input(Cast(learning_rate_, variable))
      .Input(Cast(l1_, variable))
      .Input(Cast(l2_, variable));
  if (shrinks) update.Input(Cast(l2_shrinkage_, variable));
  return update.Input(Cast(power_, variable)).BuildNode();
}

Node* FtrlOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  return Apply("ApplyFtrl", std::span(&gradient, 1), variable);
}

Node* FtrlOptimizer::ApplySparse(const IndexedSlices& gradient, const Variable& variable) {
  const Output inputs[] = {gradient.values, gradient.indices};
  return Apply("SparseApplyFtrl", inputs, variable);
}

}  // namespace headrace
