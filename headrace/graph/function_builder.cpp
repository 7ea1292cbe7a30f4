#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/graph/function.h"

namespace headrace {

FunctionBuilder::FunctionBuilder(Graph& outer, std::string_view name)
    : outer_(outer), body_(std::make_unique<Graph>(outer.registry())), name_(name) {
  for (int i = 1; HasFunction(outer, name_); ++i) name_ = StrCat(name, "_", i);
  if (outer.seed()) body_->SetSeed(*outer.seed());
}

Output FunctionBuilder::AddPlaceholder(std::string_view name, DType type,
                                       const PartialShape& shape) {
  return NodeBuilder(*body_, "Placeholder", name, Location{})
      .Attr("dtype", type)
      .Attr("shape", shape)
      .Build();
}

Output FunctionBuilder::Argument(DType type, const PartialShape& shape) {
  const Output argument = AddPlaceholder(StrCat("args_", arguments_.size()), type, shape);
  arguments_.push_back(argument);
  return argument;
}

Output FunctionBuilder::Capture(Output outer) {
  if (!outer.valid()) {
    body_->ReportError(outer_.status().ok()
                           ? InvalidArgument("function '", name_, "' captures no output of a node")
                           : outer_.status());
    return {};
  }
  if (const auto it = std::ranges::find(captures_, outer); it != captures_.end())
    return captured_[static_cast<size_t>(it - captures_.begin())];
  const std::string& name = outer.node->name();
  const size_t slash = name.rfind('/');
  captured_.push_back(AddPlaceholder(slash == std::string::npos ? name : name.substr(slash + 1),
                                     outer.value_dtype(), outer.shape()));
  captures_.push_back(outer);
  return captured_.back();
}

std::vector<Node*> EffectsOf(const Graph& body) {
  std::vector<Node*> effects;
  for (int i = 0; i < body.num_nodes(); ++i) {
    Node* node = body.node(i);
    const bool makes_handle =
        node->num_inputs() == 0 && node->num_outputs() == 1 && node->output_type(0) == DType::kResource;
    if (node->op().stateful() && !makes_handle && !node->attrs().Has("seed2")) effects.push_back(node);
  }
  return effects;
}

StatusOr<FunctionRef> FunctionBuilder::Finish(std::span<const Output> results) {
  FunctionSignature signature{
      .name = name_, .arguments = arguments_, .results = {results.begin(), results.end()}};
  signature.effects = EffectsOf(*body_);
  signature.arguments.insert(signature.arguments.end(), captured_.begin(), captured_.end());
  HR_RETURN_IF_ERROR(AddFunction(outer_, *body_, signature));
  return FunctionRef{name_, nullptr};
}

}  // namespace headrace
