// Every op takes on the CPU at least the dtypes that TensorFlow 1.15's CPU kernels take:
// tests/golden/kernels.json.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "nlohmann/json.hpp"

namespace headrace {
namespace {

using nlohmann::json;

const json& Kernels() {
  static const json& kernels = *new json(
      json::parse(std::ifstream(HEADRACE_SOURCE_DIR "/tests/golden/kernels.json")).at("ops"));
  return kernels;
}

DTypeSet TypesOf(const json& names) {
  DTypeSet types;
  for (const json& name : names) {
    const StatusOr<DType> type = ParseDType(name.get<std::string>());
    EXPECT_TRUE(type.ok()) << type.status();
    if (type.ok()) types = types | DTypeSet(*type);
  }
  return types;
}

// What a variant holds is known to the ops of its own family only, which hand it on whole.
constexpr DTypeSet kNobodyElses{DType::kVariant};

// Not compared yet: ops on sparse tensors and on handles.
bool IsCompared(std::string_view op) {
  return op.find("Sparse") == op.npos && !op.starts_with("Resource") && !op.starts_with("Set") &&
         Kernels().contains(op);
}

// What we do not take, and why. Every entry must be needed.
struct Exception {
  DTypeSet types;
  std::set<std::string> ops;
  const char* why;
};
const Exception kExceptions[] = {
    {DTypeSet(DType::kResource),
     {"DepthToSpace", "SpaceToDepth"},
     "a kernel registered for every dtype; nobody keeps handles in images"},
    {DTypeSet(DType::kQInt8), {"SpaceToDepth"}, "quantized images have no other ops here"},
};

DTypeSet Excepted(const std::string& op) {
  DTypeSet types;
  for (const Exception& exception : kExceptions) {
    if (exception.ops.contains(op)) types = types | exception.types;
  }
  return types;
}

// What TensorFlow takes and we do not; kernels of dtypes that the attribute refuses do not count.
DTypeSet Missing(const OpDef& op, const std::string& attr, const json& names) {
  const AttrDef* def = op.FindAttr(attr);
  const DTypeSet wanted =
      TypesOf(names) & ((def == nullptr ? kAllTypes : def->types) - kNobodyElses);
  return wanted - op.SupportedTypes("CPU", attr);
}

TEST(KernelTypes, AreAtLeastTensorFlows) {
  int checked = 0;
  for (const OpDef* op : OpRegistry::Global().All()) {
    if (!IsCompared(op->name())) continue;
    for (const auto& [attr, names] : Kernels().at(op->name()).items()) {
      const DTypeSet missing = Missing(*op, attr, names) - Excepted(op->name());
      EXPECT_TRUE(missing.empty())
          << op->name() << " does not take " << missing.ToString() << " for " << attr;
      ++checked;
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(KernelTypes, ExceptionsAreNeeded) {
  for (const Exception& exception : kExceptions) {
    for (const std::string& name : exception.ops) {
      const OpDef* op = OpRegistry::Global().Find(name);
      ASSERT_NE(op, nullptr) << name;
      DTypeSet missing;
      for (const auto& [attr, names] : Kernels().at(name).items())
        missing = missing | Missing(*op, attr, names);
      EXPECT_TRUE((exception.types - missing).empty())
          << name << " takes " << exception.types.ToString() << " after all";
    }
  }
}

}  // namespace
}  // namespace headrace
