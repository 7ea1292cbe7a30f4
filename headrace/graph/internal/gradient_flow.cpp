#include "headrace/graph/internal/gradient_flow.h"

#include <cstring>
#include <string>

#include "headrace/base/strings.h"
#include "headrace/graph/internal/gradient_nodes.h"

namespace headrace::internal {
namespace {

bool IsLoopOp(std::string_view op) {
  if (op.starts_with("Ref")) op.remove_prefix(3);
  return op == "Enter" || op == "Exit" || op == "NextIteration";
}

}  // namespace

StatusOr<std::unique_ptr<GradientFlow>> GradientFlow::Make(GradientPaths& paths) {
  for (const GradientNode& between : paths.nodes()) {
    if (IsLoopOp(between.node->op_name())) {
      return Unimplemented(between.node->Describe(),
                           ": gradients through a loop are not supported");
    }
  }
  return std::make_unique<GradientFlow>();
}

Output GradientFlow::Zeros(Output output, Location where) {
  if (output.node->op_name() != "Switch") return MakeZerosLike(output, where);
  // Zeros that are there when the other branch is taken: the switched value again, in that branch.
  Graph& graph = *output.graph();
  const Output data = output.node->input(0), pred = output.node->input(1);
  Node* again = NodeBuilder("Switch", "", where).Input(data).Input(pred).BuildNode();
  if (again == nullptr) return {};
  const Output value = again->output(output.index);
  const Output pivot = NodeBuilder("Identity", "", where).Input(value).Build();
  const Output shape = NodeBuilder("Shape", "", where).Input(value).Build();
  if (!pivot.valid() || !shape.valid()) return {};
  const ControlDependencies after(graph, {pivot.node});
  std::string name;
  Output zero;
  {
    const NameScope scope(graph, "zeros");
    name = graph.name_scope() + "/";
    Tensor scalar(output.value_dtype(), Shape());
    std::memset(scalar.raw_data(), 0, scalar.size_bytes());
    zero = NodeBuilder(graph, "Const", "", where)
               .Attr("value", scalar)
               .Attr("dtype", output.value_dtype())
               .Build();
  }
  const NameScope top(graph, "");
  return NodeBuilder("Fill", name, where).Input(shape).Input(zero).Build();
}

}  // namespace headrace::internal
