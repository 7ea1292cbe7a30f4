#include "tests/random_ops/check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/ops/testing/graph_runner.h"
#include "headrace/ops/testing/tensors.h"
#include "headrace/session/session.h"

namespace headrace::random_ops {
namespace {

struct Way {
  std::string name;
  SessionOptions options;
};

// Device sets are shared by all sessions: starting threads takes longer than a small graph.
const std::vector<Way>& Ways() {
  static const std::vector<Way>& ways = *[] {
    auto* all = new std::vector<Way>();
    for (const bool gpus : {false, true}) {
      DeviceOptions devices;
      devices.threads = 2;
      devices.cpu_count = gpus ? 2 : 1;
      devices.simulated_gpus = gpus ? 2 : 0;
      devices.simulated_gpu_bytes = 64 << 20;
      std::shared_ptr<DeviceSet> set = DeviceSet::Create(devices).value();
      for (const bool plans : {true, false}) {
        for (const bool optimize : {true, false}) {
          SessionOptions options{
              .allow_soft_placement = true, .optimize = optimize, .use_plans = plans};
          options.device_set = set;
          all->push_back({StrCat(plans ? "plan" : "executor", gpus ? " on GPUs" : "",
                                 optimize ? ", optimised" : ", as it is"),
                          options});
        }
      }
    }
    return all;
  }();
  return ways;
}

StatusOr<std::vector<Tensor>> RunNodes(const Built& built, const std::vector<Output>& fetches) {
  testing::GraphRunner runner;
  testing::Feeds feeds;
  for (size_t i = 0; i < built.feeds.size(); ++i) feeds[built.feeds[i]] = built.values[i];
  return runner.Run(fetches, feeds);
}

std::string CheckWay(const Way& way, const Built& built, const std::vector<Tensor>& expected) {
  StatusOr<std::unique_ptr<Session>> session = Session::Create(*built.graph, way.options);
  if (!session.ok()) return StrCat("no session: ", session.status().ToString());
  const StatusOr<Callable> step = (*session)->MakeCallable(built.feeds, built.fetches);
  if (!step.ok()) return StrCat("no step: ", step.status().ToString());
  for (int run = 0; run < 2; ++run) {
    std::vector<Tensor> results;
    if (const Status status = (*step)(built.values, &results); !status.ok()) {
      return StrCat("run ", run, ": ", status.ToString());
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const std::string difference = testing::BitDifference(results[i], expected[i]);
      if (!difference.empty()) {
        return StrCat("run ", run, ", ", built.fetches[i].name(), ": ", difference);
      }
    }
  }
  return "";
}

// Ops that round before they compare, or look at bits: another dtype may rightly give another
// value.
bool Steps(const std::string& op) {
  static const std::set<std::string>& ops = *new std::set<std::string>{
      "FloorDiv", "FloorMod",  "Mod",      "TruncateDiv", "TruncateMod", "ApproximateEqual",
      "Bitcast",  "NextAfter", "LinSpace", "Range",       "Cast"};
  return ops.contains(op);
}

// Functions whose float32 forms lose digits near zeros and poles, as TensorFlow's do.
bool Delicate(const std::string& op) {
  static const std::set<std::string>& ops = *new std::set<std::string>{
      "Zeta", "Polygamma", "Igamma", "Igammac", "IgammaGradA", "Digamma", "Lgamma"};
  return ops.contains(op);
}

// The largest magnitude that sums in a node can pass through: a product over its inputs.
double Magnitude(const std::vector<Tensor>& inputs) {
  double magnitude = 1;
  for (const Tensor& input : inputs) {
    if (!IsFloating(input.dtype())) continue;
    double most = 1;
    for (const double v : testing::ToDoubles(input)) {
      most = std::isnan(v) || std::isnan(most) ? std::nan("") : std::max(most, std::abs(v));
    }
    magnitude *= most;
  }
  return magnitude;
}

std::string Compare(const Tensor& single, const Tensor& twice, double magnitude, double relative) {
  if (single.shape() != twice.shape()) {
    return StrCat(single.ToString(), " against ", twice.ToString(), " in float64");
  }
  const std::vector<double> a = testing::ToDoubles(single), e = testing::ToDoubles(twice);
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(e[i])) continue;
    if (a[i] == e[i] || std::abs(e[i]) > 1e37) continue;  // beyond float32
    if (!(std::abs(a[i] - e[i]) <= relative * (std::abs(e[i]) + 0.1 * magnitude))) {
      return StrCat("element ", i, ": ", a[i], " against ", e[i], " in float64");
    }
  }
  return "";
}

std::string CheckNode(const Node& node, const std::vector<Tensor>& inputs,
                      const std::vector<Tensor>& outputs) {
  Graph graph;
  NodeSpec spec{.op = node.op_name(), .attrs = node.attrs(), .location = Location::Current()};
  for (const auto& [name, value] : node.attrs()) {
    if (const DType* type = value.As<DType>(); type != nullptr && *type == DType::kFloat32) {
      spec.attrs.Set(name, DType::kFloat64);
    }
  }
  testing::Feeds feeds;
  for (const Tensor& input : inputs) {
    const Tensor wide =
        input.dtype() == DType::kFloat32 ? testing::Converted(input, DType::kFloat64) : input;
    const StatusOr<Node*> source =
        graph.AddNode({.op = "Placeholder",
                       .attrs = {{"dtype", wide.dtype()}, {"shape", wide.shape()}},
                       .location = Location::Current()});
    if (!source.ok()) return source.status().ToString();
    spec.inputs.push_back((*source)->output(0));
    feeds[spec.inputs.back()] = wide;
  }
  const StatusOr<Node*> wide = graph.AddNode(std::move(spec));
  if (!wide.ok() || !FindSupport(**wide, "CPU").ok()) return "";  // not in float64
  std::vector<Output> fetches;
  for (int i = 0; i < (*wide)->num_outputs(); ++i) fetches.push_back((*wide)->output(i));
  testing::GraphRunner runner;
  const StatusOr<std::vector<Tensor>> results = runner.Run(fetches, feeds);
  if (!results.ok()) return StrCat("in float64: ", results.status().ToString());
  const double magnitude = Magnitude(inputs);
  // Padding times NaN is NaN or nothing, by how a convolution is computed.
  if (std::isnan(magnitude)) return "";
  if (!(magnitude < 1e15)) return "";  // sums may pass float32's range, or take any value
  for (size_t i = 0; i < results->size(); ++i) {
    std::string difference =
        Compare(outputs[i], (*results)[i], magnitude, Delicate(node.op_name()) ? 1e-2 : 1e-4);
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace

std::string CheckWays(const Program& program) {
  // Requests decide where gradients are summed, and so in which order: a reference for each.
  for (const bool gpus : {false, true}) {
    const Built built = Build(program, /*with_devices=*/gpus);
    if (!built.graph->status().ok()) return StrCat("no graph: ", built.graph->status().ToString());
    const StatusOr<std::vector<Tensor>> expected = RunNodes(built, built.fetches);
    if (!expected.ok()) return StrCat("node by node: ", expected.status().ToString());
    for (const Way& way : Ways()) {
      if ((way.name.find("GPU") != std::string::npos) != gpus) continue;
      const std::string difference = CheckWay(way, built, *expected);
      if (!difference.empty()) return StrCat(way.name, ", ", difference);
    }
  }
  return "";
}

std::string CheckAgainstFloat64(const Program& program) {
  const Built built = Build(program, /*with_devices=*/false);
  if (!built.graph->status().ok()) return "";
  // Only what the fetches need may be run: gradients build nodes that others make superfluous.
  std::set<const Node*> needed;
  std::vector<const Node*> stack;
  for (const Output& fetch : built.fetches) stack.push_back(fetch.node);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!needed.insert(node).second) continue;
    for (const Output& input : node->inputs()) stack.push_back(input.node);
  }
  std::vector<Output> all;
  std::map<Output, size_t> place;
  for (int id = 0; id < built.graph->num_nodes(); ++id) {
    Node* node = built.graph->node(id);
    for (int i = 0; needed.contains(node) && i < node->num_outputs(); ++i) {
      place[node->output(i)] = all.size();
      all.push_back(node->output(i));
    }
  }
  const StatusOr<std::vector<Tensor>> values = RunNodes(built, all);
  if (!values.ok()) return StrCat("all nodes: ", values.status().ToString());
  for (int id = 0; id < built.graph->num_nodes(); ++id) {
    Node* node = built.graph->node(id);
    if (!needed.contains(node) || node->num_inputs() == 0 || Steps(node->op_name())) continue;
    std::vector<Tensor> inputs, outputs;
    bool single = false;
    for (const Output& input : node->inputs()) {
      inputs.push_back((*values)[place[input]]);
      single |= input.dtype() == DType::kFloat32;
    }
    for (int i = 0; i < node->num_outputs(); ++i)
      outputs.push_back((*values)[place[node->output(i)]]);
    if (!single || node->op().stateful()) continue;
    const std::string difference = CheckNode(*node, inputs, outputs);
    if (!difference.empty()) {
      return StrCat(node->Describe(), ": ", difference, "; inputs: ",
                    StrJoin(inputs, "; ", [](const Tensor& t) { return t.ToString(16); }));
    }
  }
  return "";
}

Program Shrunk(Program program, const std::function<bool(const Program&)>& fails) {
  const auto keep_if_fails = [&](Program smaller) {
    smaller = Pruned(smaller);
    if (!fails(smaller)) return false;
    program = std::move(smaller);
    return true;
  };
  Program forward = program;
  forward.ys.clear();
  keep_if_fails(forward);
  for (auto member : {&Program::fetches, &Program::ys}) {
    for (size_t i = (program.*member).size(); i-- > 0;) {
      Program smaller = program;
      (smaller.*member).erase((smaller.*member).begin() + static_cast<std::ptrdiff_t>(i));
      keep_if_fails(smaller);
    }
  }
  // From the front: what comes before a step goes when the step becomes a leaf.
  for (size_t i = 0; i < program.steps.size();) {
    const Built built = Build(program, false, false);
    bool kept = false;
    if (!program.steps[i].op.empty() && built.nodes[i]->num_outputs() == 1) {
      const StatusOr<std::vector<Tensor>> value = RunNodes(built, {built.nodes[i]->output(0)});
      if (value.ok()) {
        Program smaller = program;
        smaller.steps[i] = {.value = (*value)[0], .fed = true, .stated = (*value)[0].shape()};
        kept = keep_if_fails(smaller);
      }
    }
    i = kept ? 0 : i + 1;
  }
  return program;
}

}  // namespace headrace::random_ops
