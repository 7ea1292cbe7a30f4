#include "headrace/graph/testing/tensorflow_ops.h"

#include <gtest/gtest.h>

#include "headrace/base/file.h"
#include "headrace/graph/internal/attr_proto.h"
#include "headrace/io/proto_convert.h"

namespace headrace::testing {
namespace {

AttrKind KindOf(const std::string& type) {
  for (int kind = 1; kind <= static_cast<int>(AttrKind::kFunctionList); ++kind) {
    if (AttrKindName(static_cast<AttrKind>(kind)) == type) return static_cast<AttrKind>(kind);
  }
  return AttrKind::kNone;
}

AttrDef Convert(const proto::OpDef::AttrDef& message) {
  AttrDef attr{.name = message.name(), .kind = KindOf(message.type())};
  if (message.has_default_value())
    attr.default_value = internal::AttrFromProto(message.default_value()).value();
  if (message.has_minimum()) attr.minimum = message.minimum();
  const auto& allowed = message.allowed_values().list();
  if (allowed.type_size() > 0) attr.types = DTypeSet();
  for (int type : allowed.type()) attr.types = attr.types | DTypeSet(static_cast<DType>(type));
  attr.strings.assign(allowed.s().begin(), allowed.s().end());
  return attr;
}

std::string TypeOf(const proto::OpDef::ArgDef& arg) {
  if (!arg.type_attr().empty()) return arg.type_attr();
  if (!arg.type_list_attr().empty()) return arg.type_list_attr();
  return DTypeName(static_cast<DType>(arg.type()));
}

void Define(const proto::OpDef& message, OpRegistry& registry) {
  OpDef& op = registry.Define(message.name());
  for (const auto& attr : message.attr()) op.Attr(Convert(attr));
  for (const auto& arg : message.input_arg()) {
    if (!arg.number_attr().empty()) {
      op.InputList(arg.name(), TypeOf(arg), arg.number_attr());
    } else if (arg.is_ref()) {
      op.RefInput(arg.name(), TypeOf(arg));
    } else {
      op.Input(arg.name(), TypeOf(arg));
    }
  }
  for (const auto& arg : message.output_arg()) {
    if (!arg.number_attr().empty()) {
      op.OutputList(arg.name(), TypeOf(arg), arg.number_attr());
    } else if (arg.is_ref()) {
      op.RefOutput(arg.name(), TypeOf(arg));
    } else {
      op.Output(arg.name(), TypeOf(arg));
    }
  }
}

}  // namespace

const proto::OpList& TensorFlowOpDefs() {
  static const proto::OpList* const list = [] {
    auto* read = new proto::OpList;
    const std::string bytes = ReadFile(HEADRACE_SOURCE_DIR "/tests/golden/op_defs.pb").value();
    EXPECT_TRUE(ParseBinary(bytes, "op_defs.pb", read).ok());
    return read;
  }();
  return *list;
}

OpRegistry& TensorFlowOps() {
  static OpRegistry* const registry = [] {
    auto* made = new OpRegistry;
    for (const proto::OpDef& op : TensorFlowOpDefs().op()) Define(op, *made);
    return made;
  }();
  return *registry;
}

}  // namespace headrace::testing
