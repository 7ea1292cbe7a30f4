// Names of nodes and scopes: what is valid, and how they are made unique.
#include "headrace/graph/internal/names.h"
#include "headrace/base/strings.h"
#include "headrace/graph/graph.h"

namespace headrace {
namespace internal {
namespace {

bool MayStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
}

bool MayFollow(char c) {
  return MayStart(c) || c == '_' || c == '-' || c == '/' || c == '\\';
}

}  // namespace

bool IsValidNodeName(std::string_view name) {
  return !name.empty() && IsValidScopeName(name, /*at_top=*/true);
}

bool IsValidScopeName(std::string_view name, bool at_top) {
  for (char c : name) {
    if (!MayFollow(c)) return false;
  }
  return !at_top || name.empty() || MayStart(name[0]);
}

}  // namespace internal

std::string Graph::UniqueName(std::string_view name) {
  std::string full = name_scope_.empty() ? std::string(name) : StrCat(name_scope_, "/", name);
  const std::string key = ToLower(full);
  const auto [base, is_new] = name_counts_.try_emplace(key, 1);
  if (is_new) return full;
  int count = base->second++;
  std::string candidate;
  do {
    candidate = StrCat(key, "_", count++);
  } while (name_counts_.contains(candidate));
  name_counts_.emplace(std::move(candidate), 1);
  return StrCat(full, "_", count - 1);
}

}  // namespace headrace
