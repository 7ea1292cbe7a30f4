#include "headrace/train/adagrad.h"

#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/train/internal/nodes.h"

namespace headrace {

AdagradOptimizer::AdagradOptimizer(Operand learning_rate, AdagradOptions o)
    : Optimizer(std::move(o.name), o.use_locking),
      learning_rate_arg_(learning_rate),
      initial_accumulator_value_(o.initial_accumulator_value) {}

void AdagradOptimizer::CreateSlots(std::span<const Variable> variables) {
  Require(*variables.front().ref().graph(), initial_accumulator_value_ > 0,
          "initial_accumulator_value", "positive", initial_accumulator_value_);
  for (const Variable& variable : variables) {
    ConstantSlot(variable, "accumulator", initial_accumulator_value_, "Const");
  }
}

void AdagradOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
}

Node* AdagradOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  return Update("ApplyAdagrad", variable)
      .Input(GetSlot(variable, "accumulator").ref())
      .Input(Cast(learning_rate_, variable))
      .Input(gradient)
      .BuildNode();
}

Node* AdagradOptimizer::ApplySparse(const IndexedSlices& gradient, const Variable& variable) {
  return Update("SparseApplyAdagrad", variable)
      .Input(GetSlot(variable, "accumulator").ref())
      .Input(Cast(learning_rate_, variable))
      .Input(gradient.values)
      .Input(gradient.indices)
      .BuildNode();
}

AdagradDAOptimizer::AdagradDAOptimizer(Operand learning_rate, Variable global_step,
                                       AdagradDAOptions o)
    : Optimizer(o.name, o.use_locking),
      learning_rate_arg_(learning_rate),
      global_step_(std::move(global_step)),
      options_(std::move(o)) {}

void AdagradDAOptimizer::CreateSlots(std::span<const Variable> variables) {
  Graph& graph = *variables.front().ref().graph();
  const double squares = options_.initial_gradient_squared_accumulator_value;
  Require(graph, squares > 0, "initial_gradient_squared_accumulator_value", "positive", squares);
  for (const Variable& variable : variables) {
    Output sum = ConstantLike(variable, 0), sum_of_squares = ConstantLike(variable, squares);
    SlotFrom(variable, "gradient_accumulator", sum);
    SlotFrom(variable, "gradient_squared_accumulator", sum_of_squares);
  }
}

void AdagradDAOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
  if (!learning_rate_.valid()) return;
  ColocateWith colocate(graph, *learning_rate_.node);
  Output step;
  {
    OpScope scope(graph, "Identity", "Identity");  // a variable behind a handle is read in it
    step = Identity(global_step_.Read(where()), {.name = scope.op_name()}, where());
  }
  step_ = train::Add(step, 1, where());
}

Node* AdagradDAOptimizer::Apply(std::string_view op, std::span<const Output> gradient,
                                const Variable& variable) {
  Output step = Identity(step_, {}, where());
  if (!step.valid()) return nullptr;
  Graph& graph = *step.graph();
  NodeBuilder update = Update(op, variable);
  update.Input(GetSlot(variable, "gradient_accumulator").ref())
      .Input(GetSlot(variable, "gradient_squared_accumulator").ref())
      .Inputs(gradient)
      .Input(Cast(learning_rate_, variable));
  for (double strength :
       {options_.l1_regularization_strength, options_.l2_regularization_strength}) {
    update.Input(train::CastNumber(graph, strength, DType::kFloat32, variable.dtype(), where()));
  }
  return update.Input(step).BuildNode();
}

Node* AdagradDAOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  return Apply("ApplyAdagradDA", std::span(&gradient, 1), variable);
}

Node* AdagradDAOptimizer::ApplySparse(const IndexedSlices& gradient, const Variable& variable) {
  const Output inputs[] = {gradient.values, gradient.indices};
  return Apply("SparseApplyAdagradDA", inputs, variable);
}

}  // namespace headrace
