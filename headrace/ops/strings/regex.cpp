#include "headrace/ops/strings/regex.h"

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/strings/regex_kernels.h"

namespace headrace {
namespace {

Status RegexShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) HR_RETURN_IF_ERROR(c.CheckScalar(i));
  return c.SetOutput(0, c.input(0));
}

}  // namespace

Output RegexReplace(Output text, std::string_view pattern, std::string_view rewrite,
                    RegexReplaceOptions o, Location where) {
  return NodeBuilder("StaticRegexReplace", o.name, where)
      .Input(text)
      .Attr("pattern", std::string(pattern))
      .Attr("rewrite", std::string(rewrite))
      .Attr("replace_global", o.replace_global)
      .Build();
}
Output RegexReplace(Output text, Output pattern, Output rewrite, RegexReplaceOptions o,
                    Location where) {
  return NodeBuilder("RegexReplace", o.name, where)
      .Input(text)
      .Input(pattern)
      .Input(rewrite)
      .Attr("replace_global", o.replace_global)
      .Build();
}
Output RegexFullMatch(Output text, std::string_view pattern, OpOptions o, Location where) {
  return NodeBuilder("StaticRegexFullMatch", o.name, where)
      .Input(text)
      .Attr("pattern", std::string(pattern))
      .Build();
}
Output RegexFullMatch(Output text, Output pattern, OpOptions o, Location where) {
  return NodeBuilder("RegexFullMatch", o.name, where).Input(text).Input(pattern).Build();
}

void DefineRegex(OpRegistry& ops) {
  ops.Define("RegexReplace")
      .Attr("replace_global", true)
      .Input("input", "string")
      .Input("pattern", "string")
      .Input("rewrite", "string")
      .Output("output", "string")
      .Shape(RegexShape)
      .NoGradient()
      .Cpu({.make = MakeRegexReplaceCpu})
      .Doc("Matches of a regular expression replaced.");
  ops.Define("StaticRegexReplace")
      .Attr("pattern", AttrKind::kString)
      .Attr("rewrite", AttrKind::kString)
      .Attr("replace_global", true)
      .Input("input", "string")
      .Output("output", "string")
      .Shape(RegexShape)
      .Cpu({.make = MakeRegexReplaceCpu})
      .Doc("Matches of a regular expression replaced.");
  ops.Define("RegexFullMatch")
      .Input("input", "string")
      .Input("pattern", "string")
      .Output("output", "bool")
      .Shape(RegexShape)
      .Cpu({.make = MakeRegexFullMatchCpu})
      .Doc("Whether strings match a regular expression.");
  ops.Define("StaticRegexFullMatch")
      .Attr("pattern", AttrKind::kString)
      .Input("input", "string")
      .Output("output", "bool")
      .Shape(RegexShape)
      .Cpu({.make = MakeRegexFullMatchCpu})
      .Doc("Whether strings match a regular expression.");
}

}  // namespace headrace
