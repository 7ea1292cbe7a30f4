// Gradients of networks that TensorFlow 1.15 differentiated: the forward part of its graph file is
// imported, we differentiate, and every node that is added must be TensorFlow's: name, op, inputs,
// attributes, order.
#include <gtest/gtest.h>

#include <algorithm>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/graph/graph_io.h"
#include "headrace/io/proto/graph.pb.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

struct Case {
  std::string graph, y;
  std::vector<std::string> xs;
  bool gate;  // an optimizer asked for the gradients
};

// Where shapes are known TensorFlow evaluates "x_grad/BroadcastGradientArgs" of two constants at
// once and leaves the three nodes behind, which nothing uses; we do not make them.
bool IsLeftover(const proto::NodeDef& node) {
  const bool constant = node.op() == "Const" &&
                        node.name().find("_grad/BroadcastGradientArgs/s") != std::string::npos;
  return constant || (node.op() == "BroadcastGradientArgs" && node.input(0) == node.name() + "/s0");
}

class GoldenGradients : public ::testing::TestWithParam<Case> {};

TEST_P(GoldenGradients, AreTheSameNodes) {
  const std::string path =
      StrCat(HEADRACE_SOURCE_DIR, "/tests/golden/graphs/", GetParam().graph, ".pb");
  proto::GraphDef golden;
  ASSERT_TRUE(ParseBinary(ReadFile(path).value(), path, &golden).ok());
  auto is_gradient = [](const proto::NodeDef& node) {
    return node.name().starts_with("gradients/");
  };
  const auto first = std::ranges::find_if(golden.node(), is_gradient);
  const auto last = std::find_if_not(first, golden.node().end(), is_gradient);
  ASSERT_NE(first, last);
  proto::GraphDef forward = golden;
  const int forward_nodes = static_cast<int>(first - golden.node().begin());
  forward.mutable_node()->DeleteSubrange(forward_nodes, golden.node_size() - forward_nodes);

  Graph graph;
  const Status imported = ImportGraph(graph, SerializeBinary(forward).value());
  ASSERT_TRUE(imported.ok()) << imported;
  std::vector<Output> xs;
  for (const std::string& x : GetParam().xs) xs.push_back(graph.FindOutput(x).value());
  Gradients(graph.FindOutput(GetParam().y).value(), xs, {.gate_gradients = GetParam().gate});
  ASSERT_TRUE(graph.status().ok()) << graph.status();

  proto::GraphDef ours;
  ASSERT_TRUE(ParseBinary(ExportGraph(graph).value(), "ours", &ours).ok());
  auto ours_at = ours.node().begin() + forward_nodes;
  for (auto it = first; it != last; ++it) {
    if (IsLeftover(*it)) continue;
    ASSERT_NE(ours_at, ours.node().end()) << "missing from here: " << it->name();
    ASSERT_EQ(PrintText(*ours_at), PrintText(*it));
    ++ours_at;
  }
  EXPECT_EQ(ours_at, ours.node().end());
}

INSTANTIATE_TEST_SUITE_P(
    TensorFlow, GoldenGradients,
    ::testing::Values(Case{"mlp_sgd", "Neg:0", {"w1:0", "w2:0"}, true},
                      Case{"mlp_adam",
                           "add:0",
                           {"layer1/weights:0", "layer1/biases:0", "layer2/weights:0",
                            "layer2/biases:0"},
                           true},
                      Case{"lenet",
                           "loss:0",
                           {"conv1/weight:0", "conv1/bias:0", "conv2/weight:0", "conv2/bias:0",
                            "fc1/weight:0", "fc1/bias:0", "fc2/weight:0", "fc2/bias:0"},
                           true},
                      Case{"embedding", "Sum:0", {"embedding:0"}, true},
                      Case{"lstm",
                           "Sum:0",
                           {"rnn/basic_lstm_cell/kernel:0", "rnn/basic_lstm_cell/bias:0"},
                           false}),
    [](const auto& info) { return info.param.graph; });

}  // namespace
}  // namespace headrace
