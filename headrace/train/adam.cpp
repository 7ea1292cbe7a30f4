#include "headrace/train/adam.h"

#include <algorithm>
#include <optional>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/resource_variable.h"
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
  VariableOptions options{
      .trainable = false, .use_resource = beside.is_resource(), .name = std::string(name)};
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
  Graph& graph = *variable.ref().graph();
  Output powers[] = {train::CastTo(beta1_power_, variable.dtype(), where()),
                     train::CastTo(beta2_power_, variable.dtype(), where())};
  Output hypers[] = {learning_rate_, beta1_, beta2_, epsilon_};
  for (Output& hyper : hypers) hyper = Cast(hyper, variable);
  std::optional<OpScope> scope;
  if (!powers[0].valid()) {  // behind handles: they are read in the scope of the update
    scope.emplace(graph, "ResourceApplyAdam", "ResourceApplyAdam");
    powers[0] = beta1_power_.Read(where());
    powers[1] = beta2_power_.Read(where());
  }
  return Update("ApplyAdam", variable, scope ? scope->op_name() : "")
      .Input(GetSlot(variable, "m").ref())
      .Input(GetSlot(variable, "v").ref())
      .Inputs(powers)
      .Inputs(hypers)
      .Input(gradient)
      .BuildNode();
}

train::Written AdamOptimizer::DecayAndScatter(const Variable& slot, Output decay, Output indices,
                                              Output rows) {
  const train::Written decayed =
      train::AssignTo(slot, train::Mul(slot.Read(where()), decay, where()), use_locking(), where());
  if (decayed.op == nullptr) return {};
  Graph& graph = decayed.op->graph();
  ControlDependencies after(graph, {decayed.op});
  if (slot.is_resource()) {
    Node* scattered = ResourceScatterAdd(slot.ref(), indices, rows, {}, where());
    if (scattered == nullptr) return {};
    ControlDependencies then(graph, {scattered});
    const Output value = slot.Read(where());
    return {value.node, value};
  }
  const Output scattered = Update("ScatterAdd", slot).Input(indices).Input(rows).Build();
  return {scattered.node, scattered};
}

Node* AdamOptimizer::ApplySparse(const IndexedSlices& gradient, const Variable& variable) {
  const Location at = where();
  const Output beta1_power = train::CastTo(beta1_power_, variable.dtype(), at),
               beta2_power = train::CastTo(beta2_power_, variable.dtype(), at);
  const auto read = [&](const Variable& power, Output cast) {
    return cast.valid() ? cast : power.Read(at);
  };
  Output learning_rate = Cast(learning_rate_, variable);
  Output beta1 = Cast(beta1_, variable), beta2 = Cast(beta2_, variable),
         epsilon = Cast(epsilon_, variable);
  Output unbias_v = train::Call("Sqrt", {train::Sub(1.0, read(beta2_power_, beta2_power), at)}, at);
  Output rate = train::Mul(learning_rate, unbias_v, at);
  rate = train::Div(rate, train::Sub(1.0, read(beta1_power_, beta1_power), at), at);

  Output m_rows = train::Mul(gradient.values, train::Sub(1.0, beta1, at), at);
  train::Written m = DecayAndScatter(GetSlot(variable, "m"), beta1, gradient.indices, m_rows);
  Output squares = train::Mul(gradient.values, gradient.values, at);
  Output v_rows = train::Mul(squares, train::Sub(1.0, beta2, at), at);
  train::Written v = DecayAndScatter(GetSlot(variable, "v"), beta2, gradient.indices, v_rows);

  Output root = train::Call("Sqrt", {v.value}, at);
  Output step = train::Mul(rate, m.value, at);
  step = train::Div(step, train::Add(root, epsilon, at), at);
  Node* update = train::SubtractFrom(variable, step, use_locking(), at).op;
  if (update == nullptr) return nullptr;
  return Group(update->graph(), {update, m.op, v.op}, {}, at);
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
      Output next = train::Mul(power->Read(where()), beta, where());
      all.push_back(train::AssignTo(*power, next, use_locking(), where()).op);
      if (all.back() == nullptr) return nullptr;
    }
  }
  return Group(graph, all, {.name = name}, where());
}

}  // namespace headrace
