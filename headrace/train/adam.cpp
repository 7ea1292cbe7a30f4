#include "headrace/train/adam.h"

#include <algorithm>

#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/assign.h"
#include "headrace/train/internal/nodes.h"

namespace headrace {

AdamOptimizer::AdamOptimizer(Operand learning_rate, AdamOptions o)
    : Optimizer(std::move(o.name), o.use_locking),
      learning_rate_arg_(learning_rate),
      beta1_arg_(o.beta1),
      beta2_arg_(o.beta2),
      epsilon_arg_(o.epsilon) {}

Variable AdamOptimizer::Power(const Operand& beta, std::string_view name, const Variable& beside) {
  Graph& graph = *beside.ref().graph();
  ControlDependencies none(graph, nullptr);
  ColocateWith colocate(graph, *beside.ref().node);
  VariableOptions options{.trainable = false, .name = std::string(name)};
  if (beta.is_tensor()) return Variable(graph, beta.output(), std::move(options), where());
  return Variable(graph, static_cast<float>(beta.number()), std::move(options), where());
}

void AdamOptimizer::CreateSlots(std::span<const Variable> variables) {
  if (!beta1_power_.valid()) {
    // The same variable in every program that holds the model, so that all agree where the powers
    // live.
    const Variable& first =
        *std::min_element(variables.begin(), variables.end(),
                          [](const auto& a, const auto& b) { return a.name() < b.name(); });
    beta1_power_ = Power(beta1_arg_, "beta1_power", first);
    beta2_power_ = Power(beta2_arg_, "beta2_power", first);
  }
  for (const Variable& variable : variables) {
    ZerosSlot(variable, "m");
    ZerosSlot(variable, "v");
  }
}

void AdamOptimizer::Prepare(Graph& graph) {
  learning_rate_ = Hyper(graph, learning_rate_arg_, "learning_rate");
  beta1_ = Hyper(graph, beta1_arg_, "beta1");
  beta2_ = Hyper(graph, beta2_arg_, "beta2");
  epsilon_ = Hyper(graph, epsilon_arg_, "epsilon");
}

Node* AdamOptimizer::ApplyDense(Output gradient, const Variable& variable) {
  NodeBuilder update = Update("ApplyAdam");
  update.Input(variable.ref())
      .Input(GetSlot(variable, "m").ref())
      .Input(GetSlot(variable, "v").ref());
  for (Output scalar :
       {beta1_power_.value(), beta2_power_.value(), learning_rate_, beta1_, beta2_, epsilon_}) {
    update.Input(Cast(scalar, variable));
  }
  return update.Input(gradient).BuildNode();
}

Output AdamOptimizer::DecayAndScatter(const Variable& slot, Output decay, Output indices,
                                      Output rows) {
  Output decayed = Assign(slot.ref(), train::Mul(slot.value(), decay, where()),
                          {.use_locking = use_locking()}, where());
  if (!decayed.valid()) return {};
  ControlDependencies after(*decayed.graph(), {decayed});
  return Update("ScatterAdd").Input(slot.ref()).Input(indices).Input(rows).Build();
}

Node* AdamOptimizer::ApplySparse(const IndexedSlices& gradient, const Variable& variable) {
  const Location at = where();
  Output beta1_power = Cast(beta1_power_.value(), variable),
         beta2_power = Cast(beta2_power_.value(), variable);
  Output learning_rate = Cast(learning_rate_, variable);
  Output beta1 = Cast(beta1_, variable), beta2 = Cast(beta2_, variable),
         epsilon = Cast(epsilon_, variable);
  Output unbias_v = train::Call("Sqrt", {train::Sub(1.0, beta2_power, at)}, at);
  Output rate = train::Mul(learning_rate, unbias_v, at);
  rate = train::Div(rate, train::Sub(1.0, beta1_power, at), at);

  Output m_rows = train::Mul(gradient.values, train::Sub(1.0, beta1, at), at);
  Output m = DecayAndScatter(GetSlot(variable, "m"), beta1, gradient.indices, m_rows);
  Output squares = train::Mul(gradient.values, gradient.values, at);
  Output v_rows = train::Mul(squares, train::Sub(1.0, beta2, at), at);
  Output v = DecayAndScatter(GetSlot(variable, "v"), beta2, gradient.indices, v_rows);

  Output root = train::Call("Sqrt", {v}, at);
  Output step = train::Mul(rate, m, at);
  step = train::Div(step, train::Add(root, epsilon, at), at);
  Output update = AssignSub(variable.ref(), step, {.use_locking = use_locking()}, at);
  if (!update.valid()) return nullptr;
  return Group(*update.graph(), {update.node, m.node, v.node}, {}, at);
}

Node* AdamOptimizer::Finish(Graph& graph, std::span<Node* const> updates, const std::string& name) {
  std::vector<Node*> all(updates.begin(), updates.end());
  {
    std::vector<Output> after;
    for (Node* update : updates) after.push_back(Output{update, 0});
    ControlDependencies dependencies(graph, after);
    ColocateWith colocate(graph, *beta1_power_.ref().node);
    for (auto& [power, beta] :
         {std::pair(&beta1_power_, beta1_), std::pair(&beta2_power_, beta2_)}) {
      Output next = train::Mul(power->value(), beta, where());
      Output assigned = Assign(power->ref(), next, {.use_locking = use_locking()}, where());
      if (!assigned.valid()) return nullptr;
      all.push_back(assigned.node);
    }
  }
  return Group(graph, all, {.name = name}, where());
}

}  // namespace headrace
