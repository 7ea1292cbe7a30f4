#include "headrace/ops/testing/golden_nodes.h"

#include <gtest/gtest.h>

#include <fstream>
#include <numeric>

#include "headrace/base/strings.h"
#include "headrace/ops/testing/graph_runner.h"
#include "headrace/ops/testing/tensors.h"
#include "nlohmann/json.hpp"

namespace headrace::testing {
namespace {

using nlohmann::json;

json FindCase(const std::string& family, const std::string& name) {
  std::ifstream file(StrCat(HEADRACE_SOURCE_DIR, "/tests/golden/ops/", family, ".json"));
  const json all = json::parse(file);
  for (const json& c : all.at("cases")) {
    if (c.at("name") == name) return c;
  }
  return nullptr;
}

// Newer versions of an op count as the older one.
std::string OpFamily(const std::string& op) {
  return op == "AddV2" ? "Add" : op;
}

std::vector<std::string> InputsOf(const Node& node) {
  std::vector<std::string> inputs;
  for (const Output& input : node.inputs()) {
    inputs.push_back(input.index == 0 ? input.node->name()
                                      : StrCat(input.node->name(), ":", input.index));
  }
  return inputs;
}

// What an attribute of the file says, as AttrValue::ToString would; "" for what is not compared
// (types follow from the inputs, tensors from their values).
std::string TextOf(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return StrCat(value.get<int64_t>());
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    return text.starts_with("DT:") ? "" : StrCat("\"", text, "\"");
  }
  if (!value.is_array() || value.empty()) return "";
  std::vector<std::string> items;
  for (const json& item : value) {
    if (!item.is_number_integer()) return "";
    items.push_back(StrCat(item.get<int64_t>()));
  }
  return StrCat("[", StrJoin(items, ","), "]");
}

Tensor ToTensor(const json& j) {
  const DType dtype = ParseDType(j.at("dtype").get<std::string>()).value();
  const std::vector<int64_t> dims = j.at("shape").get<std::vector<int64_t>>();
  std::vector<double> values;
  for (const json& value : j.at("data")) values.push_back(value.get<double>());
  return FromDoubles(values, Shape(std::span<const int64_t>(dims)), dtype);
}

void ExpectNode(const Node& node, const json& expected) {
  SCOPED_TRACE(node.name());
  EXPECT_EQ(node.name(), expected[0].get<std::string>());
  EXPECT_EQ(OpFamily(node.op_name()), OpFamily(expected[1].get<std::string>()));
  EXPECT_EQ(InputsOf(node), expected[2].get<std::vector<std::string>>());
  for (const auto& [key, value] : expected[3].items()) {
    const AttrValue* attr = node.attrs().Find(key);
    if (attr == nullptr || key.starts_with("_")) continue;
    if (const std::string text = TextOf(value); !text.empty()) {
      EXPECT_EQ(attr->ToString(), text) << key;
    }
  }
}

}  // namespace

void ExpectNodesOf(const std::string& family, const std::string& name,
                   const std::function<void(Graph&, const std::vector<Output>&)>& build,
                   int64_t seed, Location where) {
  SCOPED_TRACE(StrCat(name, " at ", where.ToString()));
  const json golden = FindCase(family, name);
  ASSERT_FALSE(golden.is_null()) << "there is no case " << name;
  Graph g;
  g.SetSeed(seed);
  const bool static_shapes = golden.value("static_shapes", true);
  std::vector<Output> inputs;
  for (const json& input : golden.at("inputs")) {
    const std::vector<int64_t> dims = input.at("shape").get<std::vector<int64_t>>();
    inputs.push_back(
        FedTensor(g, ParseDType(input.at("dtype").get<std::string>()).value(),
                  static_shapes ? PartialShape(std::span<const int64_t>(dims)) : PartialShape(),
                  StrCat("x", inputs.size())));
  }
  const int first = g.num_nodes();
  build(g, inputs);
  ASSERT_TRUE(g.status().ok()) << g.status();
  const json& nodes = golden.at("nodes");
  for (int i = 0; i < static_cast<int>(nodes.size()) && first + i < g.num_nodes(); ++i)
    ExpectNode(*g.node(first + i), nodes[static_cast<size_t>(i)]);
  EXPECT_EQ(g.num_nodes() - first, static_cast<int>(nodes.size()));
}

void ExpectRunsOf(
    const std::string& family, const std::string& name,
    const std::function<std::vector<Output>(Graph&, const std::vector<Output>&)>& build,
    int64_t seed, Location where, std::vector<size_t> wanted) {
  SCOPED_TRACE(StrCat(name, " at ", where.ToString()));
  const json golden = FindCase(family, name);
  ASSERT_FALSE(golden.is_null()) << "there is no case " << name;
  Graph g;
  g.SetSeed(seed);
  std::vector<Output> inputs;
  Feeds feeds;
  for (const json& input : golden.at("inputs")) {
    const Tensor value = ToTensor(input);
    inputs.push_back(FedTensor(g, value.dtype(), value.shape(), StrCat("x", inputs.size())));
    feeds[inputs.back()] = value;
  }
  const std::vector<Output> outputs = build(g, inputs);
  ASSERT_TRUE(g.status().ok()) << g.status();
  GraphRunner runner;
  for (const json& run : golden.at("runs")) {
    const StatusOr<std::vector<Tensor>> values = runner.Run(outputs, feeds);
    ASSERT_TRUE(values.ok()) << values.status();
    if (wanted.empty()) {
      wanted.resize(run.size());
      std::iota(wanted.begin(), wanted.end(), 0);
    }
    ASSERT_EQ(values->size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_EQ(BitDifference((*values)[i], ToTensor(run[wanted[i]])), "")
          << "output " << wanted[i];
  }
}

}  // namespace headrace::testing
