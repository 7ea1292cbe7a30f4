// Runs graphs in tests, node by node, with the devices' kernels and nothing of the runtime.
//
//   GraphRunner runner;
//   HR_ASSIGN_OR_RETURN(std::vector<Tensor> y, runner.Run({y}, {{x, x_value}}));
//   Tensor z = Evaluate(z_output);                 // fails the test on an error
//
// Variables and other state live as long as the runner. One thread at a time.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/device/device_set.h"
#include "headrace/graph/graph.h"
#include "headrace/kernel/kernel.h"

namespace headrace::testing {

using Feeds = std::map<Output, Tensor>;

struct RunnerOptions {
  // "GPU": a simulated GPU takes each node that it supports; the others run on the CPU.
  std::string device_type = "CPU";
  int threads = 1;
  // Runs each node that allows it three times: as usual, into given memory full of garbage, and in
  // place where its definition says so. Internal when the results differ, or a Forwards promise is
  // not kept.
  bool thorough = false;
};

class GraphRunner {
 public:
  explicit GraphRunner(RunnerOptions options = {});
  ~GraphRunner();

  // Values of the outputs, in plain host memory. A variable's own output gives its value. Nodes and
  // outputs whose values are in `feeds` are not run.
  StatusOr<std::vector<Tensor>> Run(std::span<const Output> fetches, const Feeds& feeds = {});
  StatusOr<std::vector<Tensor>> Run(std::initializer_list<Output> fetches,
                                    const Feeds& feeds = {}) {
    return Run(std::span(fetches.begin(), fetches.size()), feeds);
  }
  // Runs nodes for what they do (assignments, initializers).
  Status RunNodes(std::span<Node* const> nodes, const Feeds& feeds = {});
  Status RunNode(Node* node, const Feeds& feeds = {}) {
    return RunNodes(std::span(&node, 1), feeds);
  }

  ResourceStore& resources() { return resources_; }
  Device& cpu();

 private:
  struct Values;
  Status Compute(Node& node, Values& values);
  Device& DeviceFor(const Node& node);

  RunnerOptions options_;
  std::shared_ptr<DeviceSet> devices_;
  ResourceStore resources_;
  std::map<const Node*, std::unique_ptr<Kernel>> kernels_;
};

// One output of a graph; the test fails and the tensor is invalid when the graph or the step has an
// error.
Tensor Evaluate(Output output, const Feeds& feeds = {});
std::vector<Tensor> Evaluate(const std::vector<Output>& outputs, const Feeds& feeds = {});

// A source whose value a test gives in Feeds, of any dtype; and a variable of that name with a
// value already in the runner's store.
Output FedTensor(Graph& graph, DType dtype, const PartialShape& shape, std::string name = "x");
Output FedVariable(Graph& graph, GraphRunner& runner, const Tensor& value, std::string name = "v");
// The same with a stated shape, and the value given to each runner by InitFedVariable.
Output FedVariable(Graph& graph, DType dtype, const PartialShape& shape, std::string name);
// The same behind a resource handle.
Output FedHandle(Graph& graph, DType dtype, const PartialShape& shape, std::string name);
Status InitFedVariable(Output variable, GraphRunner& runner, const Tensor& value);
StatusOr<Tensor> ReadFedVariable(Output variable, GraphRunner& runner);

}  // namespace headrace::testing
