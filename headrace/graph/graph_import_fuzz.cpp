// Graph files of any bytes: import must fail cleanly or give a graph that can be written, read
// again, and differentiated. The first byte chooses the form and the options.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "headrace/graph/gradients.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/shape_context.h"

namespace headrace {
namespace {

void Require(bool condition) {
  if (!condition) std::abort();
}

// What is made of the same nodes in the same order must be accepted again, in both forms.
void WriteAndRead(const Graph& graph) {
  for (bool text : {false, true}) {
    const StatusOr<std::string> bytes = ExportGraph(graph, {.text = text});
    if (!bytes.ok()) continue;
    Graph again(graph.registry());
    const Status status = ImportGraph(again, *bytes, {.text = text});
    // Only what comes round a loop may leave its shapes less known than a first reading did.
    Require(status.ok());
    Require(again.num_nodes() == graph.num_nodes());
    Require(*ExportGraph(again, {.text = text}) == *bytes);
  }
}

void Differentiate(Graph& graph) {
  std::vector<Output> floats;
  for (int i = 0; i < graph.num_nodes(); ++i) {
    Node& node = *graph.node(i);
    for (int k = 0; k < node.num_outputs(); ++k) {
      ConstantValue(node.output(k));
      ConstantValueAsShape(node.output(k));
      if (IsFloating(node.output_type(k))) floats.push_back(node.output(k));
    }
  }
  if (floats.size() < 2) return;
  const Output y = floats.back(), x = floats.front();
  const std::vector<Gradient> gradients = Gradients(y, {x}, {.gate_gradients = true});
  if (!gradients[0].connected()) WhyUnconnected(std::span(&y, 1), x);
}

}  // namespace
}  // namespace headrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  headrace::ImportOptions options{.text = (data[0] & 1) != 0, .max_repeated_bytes = 1 << 16};
  if ((data[0] & 2) != 0) options.prefix = "p";
  if ((data[0] & 4) != 0) options.device_map = {{"/gpu:*", "/cpu:0"}};
  headrace::Graph graph;
  const absl::Status status = headrace::ImportGraph(graph, bytes, options);
  headrace::Require(status.ok() || graph.num_nodes() == 0);
  if (!status.ok()) return 0;
  headrace::WriteAndRead(graph);
  headrace::Differentiate(graph);
  return 0;
}
