#include "headrace/ops/linalg/matrix_nodes.h"

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"

namespace headrace::matrix_grad {

Output JoinShape(Graph& g, std::vector<IntArg> parts, Location where) {
  const OpScope scope(g, "", "concat");
  NodeBuilder builder(g, "ConcatV2", scope.op_name(), where);
  for (size_t i = 0; i < parts.size(); ++i)
    builder.Input(parts[i].In(g, StrCat("values_", i), DType::kInt32, where));
  return builder.Input(Const(g, 0, {.name = "axis"}, where)).Build();
}

}  // namespace headrace::matrix_grad
