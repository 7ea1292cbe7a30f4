#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/graph/graph.h"

namespace headrace {

DType Output::dtype() const {
  return node == nullptr ? DType::kInvalid : node->output_type(index);
}

const PartialShape& Output::shape() const {
  static constexpr PartialShape kUnknown;
  return node == nullptr ? kUnknown : node->output_shape(index);
}

std::string Output::name() const {
  return node == nullptr ? "(no output)" : StrCat(node->name(), ":", index);
}

Graph* Output::graph() const {
  return node == nullptr ? nullptr : &node->graph();
}

std::vector<std::string> Node::colocation() const {
  constexpr std::string_view kPrefix = "loc:@";
  std::vector<std::string> names;
  const AttrValue* value = attrs_.Find("_class");
  const auto* classes = value == nullptr ? nullptr : value->As<AttrValue::Strings>();
  if (classes == nullptr) return names;
  for (const std::string& text : *classes) {
    if (text.starts_with(kPrefix)) names.push_back(text.substr(kPrefix.size()));
  }
  return names;
}

std::string Node::Describe() const {
  const std::string place = location_.ToString();
  return StrCat("op '", op_->name(), "' node '", name_, "'",
                place.empty() ? "" : StrCat(" (", place, ")"));
}

}  // namespace headrace
