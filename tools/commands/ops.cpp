#include <cstdio>
#include <memory>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "tools/commands/commands.h"
#include "tools/commands/table.h"

namespace headrace::tools {
namespace {

std::string ArgType(const ArgDef& arg) {
  std::string type = !arg.type_attr.empty()        ? arg.type_attr
                     : !arg.type_list_attr.empty() ? StrCat("each of ", arg.type_list_attr)
                                                   : DTypeName(arg.dtype);
  if (!arg.number_attr.empty()) type = StrCat(arg.number_attr, " * ", type);
  return StrCat(arg.is_ref ? "ref " : "", type);
}

std::string AttrText(const AttrDef& attr) {
  std::string text(AttrKindName(attr.kind));
  if (attr.kind == AttrKind::kType || attr.kind == AttrKind::kTypeList) {
    StrAppend(&text, " in {", attr.types.ToString(), "}");
  }
  if (!attr.strings.empty()) {
    StrAppend(&text, " in {", StrJoin(attr.strings, ", "), "}");
  }
  if (attr.minimum) StrAppend(&text, " >= ", *attr.minimum);
  if (attr.default_value) StrAppend(&text, " = ", attr.default_value->ToString());
  return text;
}

// "T: float32, float64; host memory: shape", an alternative a line.
void PrintSupport(const OpDef& op, const char* type) {
  if (op.support(type).empty()) {
    std::printf("  %-10s no kernel\n", type);
    return;
  }
  for (const DeviceSupport& support : op.support(type)) {
    std::string text;
    for (const auto& [attr, types] : support.types) {
      StrAppend(&text, text.empty() ? "" : "; ", attr, ": ", types.ToString());
    }
    if (text.empty()) text = "any dtype";
    if (!support.host_args.empty()) StrAppend(&text, "; in host memory: ", StrJoin(support.host_args, ", "));
    std::printf("  %-10s %s\n", type, text.c_str());
  }
}

const char* GradientText(const OpDef& op) {
  if (op.gradient() != nullptr) return "yes";
  return op.no_gradient() ? "stops" : "no";
}

Status Describe(const std::string& name) {
  HR_ASSIGN_OR_RETURN(const OpDef* op, OpRegistry::Global().Lookup(name));
  std::printf("%s%s%s\n", op->name().c_str(), op->doc().empty() ? "" : ": ", op->doc().c_str());
  for (const ArgDef& arg : op->inputs()) std::printf("  input      %s: %s\n", arg.name.c_str(), ArgType(arg).c_str());
  for (const ArgDef& arg : op->outputs()) std::printf("  output     %s: %s\n", arg.name.c_str(), ArgType(arg).c_str());
  for (const AttrDef& attr : op->attrs()) {
    std::printf("  attribute  %s: %s\n", attr.name.c_str(), AttrText(attr).c_str());
  }
  PrintSupport(*op, "CPU");
  PrintSupport(*op, "GPU");
  std::printf("  gradient   %s\n", GradientText(*op));
  if (op->stateful()) std::printf("  stateful   yes\n");
  return absl::OkStatus();
}

Status ListOps() {
  Table table({"op", "inputs", "outputs", "CPU", "GPU", "gradient"});
  for (const OpDef* op : OpRegistry::Global().All()) {
    table.Add({op->name(), StrJoin(op->inputs(), ", ", [](const ArgDef& a) { return a.name; }),
               StrJoin(op->outputs(), ", ", [](const ArgDef& a) { return a.name; }),
               op->support("CPU").empty() ? "-" : "yes", op->support("GPU").empty() ? "-" : "yes", GradientText(*op)});
  }
  std::fputs(table.ToString().c_str(), stdout);
  std::printf("%zu ops\n", table.rows());
  return absl::OkStatus();
}

}  // namespace

void AddOpsCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("ops", "List the ops, or describe one from its definition");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "An op, such as MatMul");
  command->callback([name, &exit_code] { exit_code = Report(name->empty() ? ListOps() : Describe(*name)); });
}

}  // namespace headrace::tools
