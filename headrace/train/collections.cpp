#include "headrace/train/collections.h"

#include <set>

namespace headrace {

std::vector<Variable> VariablesIn(const Graph& g, std::string_view collection) {
  std::vector<Variable> variables;
  std::set<const Node*> seen;
  for (const Output& ref : g.Collection(collection)) {
    Variable variable = Variable::Of(ref);
    if (variable.valid() && seen.insert(ref.node).second) variables.push_back(std::move(variable));
  }
  return variables;
}

Variable VariableBehind(Output output) {
  if (!output.valid()) return {};
  if (IsRef(output.dtype()) || output.dtype() == DType::kResource) return Variable::Of(output);
  const Node& read = *output.node;
  if (read.op_name() != "Identity" && read.op_name() != "ReadVariableOp") return {};
  Variable variable = Variable::Of(read.input(0));
  if (!variable.valid() && read.op_name() == "Identity" &&
      read.input(0).node->op_name() == "ReadVariableOp")
    variable = Variable::Of(read.input(0).node->input(0));  // cached on another device
  return variable.valid() && variable.value() == output ? variable : Variable();
}

}  // namespace headrace
