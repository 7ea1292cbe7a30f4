#include "headrace/ops/array/math_nodes.h"

namespace headrace {
namespace array_grad {
namespace {

Output WithNumber(std::string_view op, std::string_view name, Output a, double b, Location where) {
  if (!a.valid()) return {};
  Graph& g = *a.graph();
  OpScope scope(g, "", name);
  const Output y = ConstScalar(g, b, a.value_dtype(), {.name = "y"}, where);
  return NodeBuilder(g, op, scope.op_name(), where).Input(a).Input(y).Build();
}

}  // namespace

Output Add(Output a, double b, Location where) { return WithNumber("AddV2", "add", a, b, where); }
Output Sub(Output a, double b, Location where) { return WithNumber("Sub", "sub", a, b, where); }

}  // namespace array_grad
}  // namespace headrace
