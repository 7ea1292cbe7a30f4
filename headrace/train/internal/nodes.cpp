#include "headrace/train/internal/nodes.h"

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/resource_variable.h"

namespace headrace::train {

Output Call(std::string_view op, std::initializer_list<Output> inputs, Location where,
            std::string_view name) {
  NodeBuilder builder(op, name, where);
  for (const Output& input : inputs) builder.Input(input);
  return builder.Build();
}

Output Operator(std::string_view op, std::string_view name, const Operand& x, const Operand& y,
                Location where) {
  const Output tensor = x.is_tensor() ? x.output() : y.output();
  if (!tensor.valid()) return {};
  Graph& graph = *tensor.graph();
  OpScope scope(graph, name, op);
  Output left = x.In(graph, "x", tensor.value_dtype(), where);
  Output right = y.In(graph, "y", tensor.value_dtype(), where);
  return Call(op, {left, right}, where, scope.op_name());
}

Output CastTo(Output x, DType type, Location where, std::string_view name) {
  if (!x.valid() || x.value_dtype() == type) return x;
  return NodeBuilder("Cast", name, where).Input(x).Attr("DstT", type).Build();
}

Output CastTo(const Variable& x, DType type, Location where, std::string_view name) {
  if (!x.is_resource()) return CastTo(x.value(), type, where, name);
  if (x.dtype() == type) return {};
  OpScope scope(*x.ref().graph(), name, "Cast");
  return CastTo(x.Read(where), type, where, scope.op_name());
}

Output CastNumber(Graph& graph, double value, DType from, DType type, Location where) {
  OpScope scope(graph, "Cast", "Cast");
  Output number = ConstScalar(graph, value, from, {.name = "x"}, where);
  return CastTo(number, type, where, scope.op_name());
}

Output FirstElement(Output x, Location where) {
  if (!x.valid()) return {};
  Graph& graph = *x.graph();
  OpScope scope(graph, "strided_slice", "StridedSlice");
  Output begin = Const(graph, {int32_t{0}}, {.name = "stack"}, where);
  Output end = Const(graph, {int32_t{1}}, {.name = "stack_1"}, where);
  Output strides = Const(graph, {int32_t{1}}, {.name = "stack_2"}, where);
  return NodeBuilder("StridedSlice", scope.op_name(), where)
      .Input(x)
      .Input(begin)
      .Input(end)
      .Input(strides)
      .Attr("shrink_axis_mask", 1)
      .Build();
}

namespace {

Written ReadAfter(const Variable& variable, Node* write, Location where) {
  if (write == nullptr) return {};
  ControlDependencies after(*variable.ref().graph(), {write});
  return {write, ReadVariableOp(variable.ref(), {}, where)};
}

}  // namespace

Written AssignTo(const Variable& variable, Output value, bool use_locking, Location where) {
  if (variable.is_resource())
    return ReadAfter(variable, AssignVariableOp(variable.ref(), value, {}, where), where);
  const Output after = Assign(variable.ref(), value, {.use_locking = use_locking}, where);
  return {after.node, after};
}

Written SubtractFrom(const Variable& variable, Output value, bool use_locking, Location where) {
  if (variable.is_resource())
    return ReadAfter(variable, AssignSubVariableOp(variable.ref(), value, {}, where), where);
  const Output after = AssignSub(variable.ref(), value, {.use_locking = use_locking}, where);
  return {after.node, after};
}

Node* AddTo(const Variable& variable, Output value, std::string_view name, Location where) {
  if (variable.is_resource())
    return AssignAddVariableOp(variable.ref(), value, {.name = std::string(name)}, where);
  return AssignAdd(variable.ref(), value, {.name = std::string(name)}, where).node;
}

std::vector<Output> Together(std::span<const Output> values, std::string_view name,
                             Location where) {
  std::vector<Output> gated(values.begin(), values.end());
  std::vector<Node*> nodes;
  for (const Output& value : values) {
    if (value.valid()) nodes.push_back(value.node);
  }
  if (nodes.empty()) return gated;
  Graph& graph = nodes.front()->graph();
  NameScope scope(graph, name);
  Node* gate = Group(graph, nodes, {.name = "group_deps"}, where);
  if (gate == nullptr) return std::vector<Output>(values.size());
  for (Output& value : gated) {
    if (!value.valid()) continue;
    ColocateWith colocate(graph, *value.node);
    value = NodeBuilder("Identity", "control_dependency", where).Input(value).Control(gate).Build();
  }
  return gated;
}

}  // namespace headrace::train
