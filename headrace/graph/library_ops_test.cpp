// The library's ops are TensorFlow 1.15's: same arguments, attributes, defaults and properties, so
// that files move both ways.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/graph/internal/attr_proto.h"
#include "headrace/graph/testing/tensorflow_ops.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

// Ops of our own, which rewriting makes and no file has, start so.
bool IsOurs(std::string_view name) {
  return name.starts_with('_') || name.starts_with("Headrace");
}

// What is in files may change between steps: these are never folded or merged here.
bool ReadsFiles(std::string_view name) {
  return name == "ReadFile" || name == "MatchingFiles";
}

const proto::OpDef* TensorFlows(const std::string& name) {
  for (const proto::OpDef& op : testing::TensorFlowOpDefs().op()) {
    if (op.name() == name) return &op;
  }
  return nullptr;
}

bool IsListKind(std::string_view type) {
  return type.starts_with("list(");
}

// One line for each argument and attribute, in the order of the definition; attributes by name.
std::string Signature(const proto::OpDef& op) {
  std::string text;
  for (const auto& arg : op.input_arg()) StrAppend(&text, "input ", PrintShortText(arg), "\n");
  for (const auto& arg : op.output_arg()) StrAppend(&text, "output ", PrintShortText(arg), "\n");
  std::map<std::string, std::string> attrs;
  for (auto attr : op.attr()) {
    // A list cannot be shorter than 0; a dtype named twice is allowed once; a tensor has several
    // forms.
    if (IsListKind(attr.type()) && attr.minimum() <= 0) attr.clear_has_minimum();
    auto& types = *attr.mutable_allowed_values()->mutable_list()->mutable_type();
    std::sort(types.begin(), types.end());
    types.erase(std::unique(types.begin(), types.end()), types.end());
    auto& strings = *attr.mutable_allowed_values()->mutable_list()->mutable_s();
    std::sort(strings.begin(), strings.end());
    if (types.empty() && attr.allowed_values().list().s().empty()) attr.clear_allowed_values();
    if (attr.default_value().has_tensor()) {
      const Tensor value = TensorFromProto(attr.default_value().tensor()).value();
      EXPECT_TRUE(TensorToProto(value, attr.mutable_default_value()->mutable_tensor()).ok());
    }
    attrs[attr.name()] = PrintShortText(attr);
  }
  for (const auto& [name, attr] : attrs) StrAppend(&text, "attr ", attr, "\n");
  StrAppend(&text, op.is_stateful() ? "stateful " : "", op.is_commutative() ? "commutative " : "",
            op.allows_uninitialized_input() ? "allows_uninitialized" : "");
  return text;
}

TEST(LibraryOps, AreTensorFlows) {
  for (const OpDef* op : OpRegistry::Global().All()) {
    if (IsOurs(op->name())) continue;
    SCOPED_TRACE(op->name());
    const proto::OpDef* theirs = TensorFlows(op->name());
    ASSERT_NE(theirs, nullptr) << "TensorFlow 1.15 has no such op";
    proto::OpDef ours;
    ASSERT_TRUE(internal::OpDefToProto(*op, &ours).ok());
    if (ReadsFiles(op->name())) {
      EXPECT_TRUE(ours.is_stateful());
      ours.set_is_stateful(theirs->is_stateful());
    }
    EXPECT_EQ(Signature(ours), Signature(*theirs));
  }
}

}  // namespace
}  // namespace headrace
