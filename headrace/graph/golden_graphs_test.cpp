// Whole graph files that TensorFlow 1.15 wrote: what we read and write again must be the same
// bytes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "headrace/base/device_name.h"
#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/internal/attr_proto.h"
#include "headrace/graph/testing/tensorflow_ops.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

std::vector<std::string> GoldenGraphNames() {
  std::vector<std::string> names;
  const std::vector<std::string> files =
      ListFolder(HEADRACE_SOURCE_DIR "/tests/golden/graphs").value();
  for (const std::string& file : files) {
    if (file.ends_with(".pb")) names.push_back(file.substr(0, file.size() - 3));
  }
  return names;
}

std::string Golden(const std::string& name, const char* ending) {
  return ReadFile(StrCat(HEADRACE_SOURCE_DIR, "/tests/golden/graphs/", name, ending)).value();
}

proto::GraphDef Parsed(const std::string& bytes) {
  proto::GraphDef graph;
  EXPECT_TRUE(ParseBinary(bytes, "graph", &graph).ok());
  return graph;
}

// What may differ: the spelling of devices; whether a tensor of equal values is written once or in
// full; in a file where nodes come before their inputs, the order of nodes.
proto::GraphDef Normalised(proto::GraphDef graph, bool sorted) {
  for (proto::NodeDef& node : *graph.mutable_node()) {
    if (!node.device().empty()) node.set_device(DeviceName::Parse(node.device())->ToString());
    for (auto& [name, attr] : *node.mutable_attr()) {
      if (!attr.has_tensor()) continue;
      const Tensor value = TensorFromProto(attr.tensor()).value();
      EXPECT_TRUE(TensorToProto(value, attr.mutable_tensor(), TensorEncoding::kBytes).ok());
    }
  }
  if (sorted) {
    std::sort(
        graph.mutable_node()->pointer_begin(), graph.mutable_node()->pointer_end(),
        [](const proto::NodeDef* a, const proto::NodeDef* b) { return a->name() < b->name(); });
  }
  return graph;
}

bool InputsComeFirst(const proto::GraphDef& graph) {
  std::set<std::string, std::less<>> seen;
  for (const proto::NodeDef& node : graph.node()) {
    for (std::string_view input : node.input()) {
      if (input.starts_with('^')) input.remove_prefix(1);
      if (!seen.contains(input.substr(0, input.find(':')))) return false;
    }
    seen.insert(node.name());
  }
  return true;
}

class GoldenGraphs : public ::testing::TestWithParam<std::string> {
 protected:
  const std::string binary_ = Golden(GetParam(), ".pb"), text_ = Golden(GetParam(), ".pbtxt");

  void ExpectSame(const Graph& graph) {
    const proto::GraphDef golden = Parsed(binary_), ours = Parsed(ExportGraph(graph).value());
    const bool sorted = !InputsComeFirst(golden);
    ASSERT_EQ(ours.node_size(), golden.node_size());
    const proto::GraphDef a = Normalised(ours, sorted), b = Normalised(golden, sorted);
    for (int i = 0; i < a.node_size(); ++i) ASSERT_EQ(PrintText(a.node(i)), PrintText(b.node(i)));
    EXPECT_TRUE(SerializeBinary(a).value() == SerializeBinary(b).value());
  }
};

TEST_P(GoldenGraphs, MessagesHaveTheSameBytesAndText) {
  const proto::GraphDef golden = Parsed(binary_);
  EXPECT_TRUE(SerializeBinary(golden).value() == binary_);
  EXPECT_TRUE(PrintText(golden) == text_);
}

TEST_P(GoldenGraphs, ComeBackTheSame) {
  for (bool is_text : {false, true}) {
    Graph graph(testing::TensorFlowOps());
    const Status status = ImportGraph(graph, is_text ? text_ : binary_, {.text = is_text});
    ASSERT_TRUE(status.ok()) << status;
    ExpectSame(graph);
    EXPECT_EQ(ExportGraph(graph, {.text = true}).value(),
              PrintText(Parsed(ExportGraph(graph).value())));
  }
}

// What a program need not state, because it follows from the inputs or is the default, comes out as
// TensorFlow's.
TEST_P(GoldenGraphs, AttributesAreCompleted) {
  proto::GraphDef stripped = Parsed(binary_);
  int erased = 0;
  for (proto::NodeDef& node : *stripped.mutable_node()) {
    const OpDef& op = **testing::TensorFlowOps().Lookup(node.op());
    for (const ArgDef& arg : op.inputs()) {
      erased += static_cast<int>(node.mutable_attr()->erase(arg.type_attr) +
                                 node.mutable_attr()->erase(arg.number_attr));
    }
    for (const AttrDef& attr : op.attrs()) {
      auto it = node.attr().find(attr.name);
      if (!attr.default_value || it == node.attr().end()) continue;
      const StatusOr<AttrValue> value = internal::AttrFromProto(it->second);
      if (value.ok() && *value == *attr.default_value)
        erased += static_cast<int>(node.mutable_attr()->erase(attr.name));
    }
  }
  EXPECT_GT(erased, 0);
  Graph graph(testing::TensorFlowOps());
  const Status status = ImportGraph(graph, SerializeBinary(stripped).value());
  ASSERT_TRUE(status.ok()) << status;
  ExpectSame(graph);
}

INSTANTIATE_TEST_SUITE_P(TensorFlow, GoldenGraphs, ::testing::ValuesIn(GoldenGraphNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace headrace
