// Which names nodes and scopes may have: TensorFlow's rules.
#pragma once

#include <string_view>

namespace headrace::internal {

// Letters, digits, "_.\-/" starting with a letter, a digit or '.'.
bool IsValidNodeName(std::string_view name);
// The same, but below another scope any of these characters may come first.
bool IsValidScopeName(std::string_view name, bool at_top);

}  // namespace headrace::internal
