#include "headrace/train/moving_average.h"

#include <set>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/assign.h"
#include "headrace/train/collections.h"
#include "headrace/train/internal/nodes.h"
#include "headrace/train/internal/slots.h"

namespace headrace {
namespace {

// The counter after one more.
Output CountUp(const Variable& counter, Location where) {
  Graph& graph = *counter.ref().graph();
  if (!counter.is_resource()) {
    OpScope scope(graph, "AssignAdd", "AssignAdd");
    const Output one = ConstScalar(graph, 1, counter.dtype(), {.name = "value"}, where);
    return AssignAdd(counter.ref(), one, {.name = scope.op_name()}, where);
  }
  Node* counted =
      train::AddTo(counter, ConstScalar(graph, 1, counter.dtype(), {}, where), "", where);
  if (counted == nullptr) return {};
  ControlDependencies after(graph, {counted});
  return counter.Read(where);
}

}  // namespace

ExponentialMovingAverage::ExponentialMovingAverage(Operand decay, ExponentialMovingAverageOptions o)
    : decay_(decay), options_(std::move(o)) {}

Output ExponentialMovingAverage::Key(Output value) {
  const Variable variable = VariableBehind(value);
  return variable.valid() ? variable.ref() : value;
}

Variable ExponentialMovingAverage::Average(Output value) const {
  auto it = averages_.find(Key(value));
  return it == averages_.end() ? Variable() : it->second.average;
}

std::string ExponentialMovingAverage::AverageName(Output value) const {
  const Output key = Key(value);
  if (!key.valid()) return "";
  if (auto it = averages_.find(key); it != averages_.end()) return it->second.average.name();
  return StrCat(key.node->name(), "/", options_.name);
}

Variable ExponentialMovingAverage::MakeAverage(Output value, const Variable& variable,
                                               Location where) const {
  Graph& graph = *value.graph();
  if (variable.valid()) {
    Variable average = options_.make_average
                           ? options_.make_average(variable.ref())
                           : train::MakeSlot(variable.ref(), options_.name, variable.value(), where,
                                             options_.variable_scope);
    graph.AddToCollection(kMovingAverageVariables, variable.ref());
    return average;
  }
  if (options_.make_average) return options_.make_average(value);
  if (!value.shape().is_fully_known()) {
    graph.ReportError(InvalidArgument("the average of ", value.node->Describe(),
                                      " needs a static shape, got ", value.shape().ToString()));
    return {};
  }
  return train::MakeZeros(
      graph,
      train::InScope(options_.variable_scope, StrCat(value.node->name(), "/", options_.name)),
      value.value_dtype(), value.shape().ToShape(), nullptr, where);
}

Node* ExponentialMovingAverage::Apply(std::span<const Variable> variables, Location where) {
  std::vector<Output> values;
  for (const Variable& variable : variables) values.push_back(variable.value());
  return Apply(values, where);
}

Node* ExponentialMovingAverage::Apply(std::span<const Output> values, Location where) {
  for (const Output& value : values) {
    if (!value.valid()) return nullptr;  // the graph has the error
    const Variable variable = VariableBehind(value);
    const DType type = variable.valid() ? variable.dtype() : value.value_dtype();
    if (!IsFloating(type)) {
      value.graph()->ReportError(
          InvalidArgument("the average of ", value.node->Describe(), " of dtype ", DTypeName(type),
                          ": only float16, bfloat16, float32 and float64 have averages"));
      return nullptr;
    }
    const Output key = Key(value);
    if (averages_.contains(key)) continue;
    Variable average = MakeAverage(value, variable, where);
    if (!average.valid()) return nullptr;
    averages_.emplace(key, Tracked{.average = average});
  }
  if (values.empty()) return nullptr;
  Graph& graph = *values.front().graph();
  OpScope scope(graph, options_.name, "ExponentialMovingAverage");
  Output decay = decay_.In(graph, "decay", DType::kFloat32, where);
  if (options_.num_updates.valid()) {
    const Variable counter = VariableBehind(options_.num_updates);
    Output updates = counter.valid() ? train::CastTo(counter, DType::kFloat32, where, "num_updates")
                                     : train::CastTo(options_.num_updates, DType::kFloat32, where,
                                                     "num_updates");
    if (!updates.valid()) updates = counter.Read(where);  // of that dtype already
    Output above = train::Add(1.0, updates, where), below = train::Add(10.0, updates, where);
    decay = train::Call("Minimum", {decay, train::Div(above, below, where)}, where);
  }
  std::vector<Node*> updates;
  for (const Output& value : values) {
    updates.push_back(Update(averages_.at(Key(value)), value, decay, where));
  }
  return Group(graph, updates, {.name = scope.op_name()}, where);
}

Node* ExponentialMovingAverage::Update(Tracked& tracked, Output value, Output decay,
                                       Location where) const {
  Graph& graph = *value.graph();
  const Variable& average = tracked.average;
  OpScope scope(graph, "AssignMovingAvg", "AssignMovingAvg");
  Output rate = train::CastTo(train::Sub(1.0, decay, where), average.dtype(), where);
  const Variable variable = VariableBehind(value);
  if (!variable.valid() && options_.zero_debias)
    return UpdateUnbiased(tracked, value, rate, scope.op_name(), where);
  const Output before = average.Read(where);
  Output change;
  {
    OpScope minus(graph, "sub", "Sub");  // a variable behind a handle is read in it
    if (variable.valid()) value = variable.Read(where);
    change = train::Call("Sub", {before, value}, where, minus.op_name());
  }
  change = train::Mul(change, rate, where);
  if (average.is_resource()) return train::SubtractFrom(average, change, false, where).op;
  return AssignSub(average.ref(), change, {.name = scope.op_name()}, where).node;
}

Node* ExponentialMovingAverage::UpdateUnbiased(Tracked& tracked, Output value, Output rate,
                                               const std::string& op_name, Location where) const {
  Graph& graph = *value.graph();
  const Variable& average = tracked.average;
  if (!tracked.biased.valid()) {
    const Node* beside = average.ref().node;
    const std::string prefix = train::InScope(options_.variable_scope, average.name());
    tracked.biased = train::MakeZeros(graph, prefix + "/biased", average.dtype(),
                                      average.shape().ToShape(), beside, where);
    tracked.local_step =
        train::MakeZeros(graph, prefix + "/local_step", average.dtype(), {}, beside, where);
  }
  Output change = train::Mul(train::Sub(tracked.biased.Read(where), value, where), rate, where);
  Output biased = train::SubtractFrom(tracked.biased, change, false, where).value;
  const Output steps = CountUp(tracked.local_step, where);
  Output left = train::Call("Pow", {train::Sub(1.0, rate, where), steps}, where);
  Output unbiased = train::Div(biased, train::Sub(1.0, left, where), where);
  if (average.is_resource()) return train::AssignTo(average, unbiased, true, where).op;
  return Assign(average.ref(), unbiased, {.name = op_name}, where).node;
}

std::map<std::string, Variable> ExponentialMovingAverage::VariablesToRestore(
    const Graph& g, std::span<const Variable> variables) const {
  std::vector<Variable> averaged(variables.begin(), variables.end());
  if (variables.empty()) {
    averaged = TrainableVariables(g);
    for (Variable& variable : MovingAverageVariables(g)) averaged.push_back(std::move(variable));
  }
  std::map<std::string, Variable> names;
  std::set<const Node*> done;
  for (const Variable& variable : averaged) {
    if (!variable.valid() || !done.insert(variable.ref().node).second) continue;
    names.emplace(AverageName(variable.ref()), variable);
  }
  for (const Variable& variable : GlobalVariables(g)) {
    if (!done.contains(variable.ref().node)) names.emplace(variable.name(), variable);
  }
  return names;
}

}  // namespace headrace
