#include "headrace/graph/internal/gradient_flow.h"

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
  return MakeZerosLike(output, where);
}

}  // namespace headrace::internal
