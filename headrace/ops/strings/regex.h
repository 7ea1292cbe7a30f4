// Regular expressions (RE2's syntax) on strings.
//
//   Output words = RegexReplace(lines, "[^a-z]+", " ");
//   Output is_year = RegexFullMatch(texts, "[12]\\d{3}");
//
// Shapes: any -> the same. DTypes: string. Errors: InvalidArgument "Invalid pattern: [, error:
// missing
// ]: [". Gradient: none.
#pragma once

#include <string_view>

#include "headrace/ops/options.h"

namespace headrace {

struct RegexReplaceOptions {
  bool replace_global = true;  // false: only the first match
  std::string name;
};
// Every match replaced; \1 in `rewrite` stands for the first group. A rewrite that names a group
// which is not there changes nothing. The pattern as a constant of the node, or as a scalar that
// the step computes. Source: TensorFlow StaticRegexReplace, RegexReplace.
Output RegexReplace(Output text, std::string_view pattern, std::string_view rewrite,
                    RegexReplaceOptions o = {}, Location where = Location::Current());
Output RegexReplace(Output text, Output pattern, Output rewrite, RegexReplaceOptions o = {},
                    Location where = Location::Current());

// Whether the whole text matches: bool. Source: TensorFlow StaticRegexFullMatch, RegexFullMatch.
Output RegexFullMatch(Output text, std::string_view pattern, OpOptions o = {},
                      Location where = Location::Current());
Output RegexFullMatch(Output text, Output pattern, OpOptions o = {},
                      Location where = Location::Current());

}  // namespace headrace
