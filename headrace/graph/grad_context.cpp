#include "headrace/graph/grad_context.h"

#include "headrace/graph/internal/gradient_nodes.h"

namespace headrace {

Output Gradient::Dense() const {
  if (!slices) return dense;
  if (!slices->values.valid()) return Output();
  return internal::MakeDense(*slices, "", slices->values.node->location());
}

GradContext::GradContext(Node& node, std::vector<Gradient> output_grads, std::vector<Output> zeros)
    : node_(node),
      grads_(std::move(output_grads)),
      results_(static_cast<size_t>(node.num_inputs())),
      zeros_(std::move(zeros)) {
  zeros_.resize(grads_.size());
}

Output GradContext::grad(int output) {
  Gradient& gradient = grads_[static_cast<size_t>(output)];
  if (gradient.dense.valid()) return gradient.dense;
  Output& made = zeros_[static_cast<size_t>(output)];  // what stands for it, made at most once
  if (!made.valid()) {
    made =
        gradient.slices ? gradient.Dense() : internal::MakeZerosLike(node_.output(output), where());
  }
  return made;
}

}  // namespace headrace
