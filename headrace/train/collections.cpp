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
  if (IsRef(output.dtype())) return Variable::Of(output);
  if (output.node->op_name() != "Identity" || !IsRef(output.node->input(0).dtype())) return {};
  Variable variable = Variable::Of(output.node->input(0));
  return variable.valid() && variable.value() == output ? variable : Variable();
}

}  // namespace headrace
