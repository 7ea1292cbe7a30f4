#include "tests/random_ops/export.h"

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/graph/graph_io.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace::random_ops {
namespace {

Status AddValue(Graph& graph, const std::string& name, const Tensor& value) {
  return graph
      .AddNode({.op = "Const",
                .name = name,
                .attrs = {{"dtype", value.dtype()}, {"value", value}},
                .location = Location::Current()})
      .status();
}

}  // namespace

Status ExportProgram(const Program& program, const std::string& path) {
  const Built forward = Build(program, false, /*with_gradients=*/false);
  const Built full = Build(program, false);
  HR_RETURN_IF_ERROR(full.graph->status());
  testing::Feeds feeds;
  for (size_t i = 0; i < full.feeds.size(); ++i) feeds[full.feeds[i]] = full.values[i];
  std::vector<Output> fetches;
  std::vector<std::string> names;
  for (Node* node : full.nodes) {
    for (int i = 0; i < node->num_outputs(); ++i) {
      fetches.push_back(node->output(i));
      names.push_back(StrCat(node->name(), "_", i));
    }
  }
  for (const auto& [x, gradient] : full.gradients) {
    fetches.push_back(gradient);
    names.push_back(StrCat("gradient_", x.node->name(), "_0"));
  }
  testing::GraphRunner runner;
  HR_ASSIGN_OR_RETURN(const std::vector<Tensor> results, runner.Run(fetches, feeds));
  Graph values;
  for (size_t i = 0; i < results.size(); ++i) {
    HR_RETURN_IF_ERROR(AddValue(values, names[i], results[i]));
  }
  std::vector<std::string> ys;
  for (const Operand& y : program.ys) ys.push_back(StrCat("n", y.step, ":", y.output));
  HR_RETURN_IF_ERROR(AddValue(values, "ys",
                              Tensor::Of<std::string>(std::span<const std::string>(ys),
                                                      {static_cast<int64_t>(ys.size())})));
  HR_ASSIGN_OR_RETURN(const std::string graph_bytes, ExportGraph(*forward.graph));
  HR_ASSIGN_OR_RETURN(const std::string value_bytes, ExportGraph(values));
  HR_RETURN_IF_ERROR(WriteFileAtomically(path + ".graph.pb", graph_bytes));
  return WriteFileAtomically(path + ".values.pb", value_bytes);
}

}  // namespace headrace::random_ops
