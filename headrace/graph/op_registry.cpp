#include <cassert>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"

namespace headrace {

OpRegistry& OpRegistry::Global() {
  // Never destroyed: nodes of graphs in static storage may outlive everything else.
  static OpRegistry* const registry = [] {
    auto* made = new OpRegistry;
    DefineLibraryOps(*made);
    return made;
  }();
  return *registry;
}

OpDef& OpRegistry::Define(std::string_view name) {
  auto [it, added] = ops_.try_emplace(std::string(name), nullptr);
  assert(added && "op defined twice");
  if (added) it->second = std::make_unique<OpDef>(std::string(name));
  return *it->second;
}

const OpDef* OpRegistry::Find(std::string_view name) const {
  auto it = ops_.find(name);
  return it == ops_.end() ? nullptr : it->second.get();
}

StatusOr<const OpDef*> OpRegistry::Lookup(std::string_view name) const {
  if (const OpDef* op = Find(name)) return op;
  std::vector<std::string> names;
  names.reserve(ops_.size());
  for (const auto& [known, op] : ops_) names.push_back(known);
  const std::vector<std::string> nearest = NearestNames(name, names);
  return NotFound(
      "there is no op '", name, "'",
      nearest.empty() ? "" : StrCat("; did you mean '", StrJoin(nearest, "' or '"), "'?"));
}

std::vector<const OpDef*> OpRegistry::All() const {
  std::vector<const OpDef*> all;
  all.reserve(ops_.size());
  for (const auto& [name, op] : ops_) all.push_back(op.get());
  return all;
}

}  // namespace headrace
