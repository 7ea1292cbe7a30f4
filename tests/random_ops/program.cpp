#include "tests/random_ops/program.h"

#include <map>

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"

namespace headrace::random_ops {

StatusOr<Node*> AddStep(Graph& graph, const std::vector<Node*>& nodes, const Step& step,
                        int number) {
  NodeSpec spec{.op = step.op, .name = StrCat("n", number), .attrs = step.attrs};
  if (step.op.empty()) {
    spec.op = step.fed ? "Placeholder" : "Const";
    spec.attrs.Set("dtype", step.value.dtype());
    if (step.fed) {
      spec.attrs.Set("shape", step.stated);
    } else {
      spec.attrs.Set("value", step.value);
    }
  }
  for (const Operand& input : step.inputs) {
    spec.inputs.push_back(nodes[static_cast<size_t>(input.step)]->output(input.output));
  }
  spec.location = Location::Current();
  return graph.AddNode(std::move(spec));
}

Built Build(const Program& program, bool with_devices, bool with_gradients) {
  Built built;
  for (const Step& step : program.steps) {
    StatusOr<Node*> node =
        AddStep(*built.graph, built.nodes, step, static_cast<int>(built.nodes.size()));
    if (!node.ok()) {
      built.graph->ReportError(node.status());
      return built;
    }
    built.nodes.push_back(*node);
    if (with_devices && !step.device.empty() && FindSupport(**node, "GPU").ok()) {
      built.graph->SetDevice(**node, step.device);
    }
    if (step.fed) {
      built.feeds.push_back((*node)->output(0));
      built.values.push_back(step.value);
    }
  }
  const auto output = [&](const Operand& operand) {
    return built.nodes[static_cast<size_t>(operand.step)]->output(operand.output);
  };
  for (const Operand& fetch : program.fetches) built.fetches.push_back(output(fetch));
  if (!with_gradients || program.ys.empty()) return built;
  std::vector<Output> ys, xs;
  for (const Operand& y : program.ys) ys.push_back(output(y));
  for (const Output& feed : built.feeds) {
    if (IsFloating(feed.dtype())) xs.push_back(feed);
  }
  if (xs.empty()) return built;
  const std::vector<Gradient> gradients = Gradients(ys, xs);
  if (!built.graph->status().ok()) return built;
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i].connected()) continue;
    built.gradients.emplace_back(xs[i], gradients[i].Dense());
    built.fetches.push_back(built.gradients.back().second);
  }
  return built;
}

Program Pruned(const Program& program) {
  std::vector<bool> needed(program.steps.size(), false);
  for (const Operand& operand : program.fetches) needed[static_cast<size_t>(operand.step)] = true;
  for (const Operand& operand : program.ys) needed[static_cast<size_t>(operand.step)] = true;
  for (size_t i = program.steps.size(); i-- > 0;) {
    if (!needed[i]) continue;
    for (const Operand& input : program.steps[i].inputs) {
      needed[static_cast<size_t>(input.step)] = true;
    }
  }
  Program pruned;
  std::vector<int> number(program.steps.size(), -1);
  const auto renumber = [&](Operand& operand) {
    operand.step = number[static_cast<size_t>(operand.step)];
  };
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (!needed[i]) continue;
    number[i] = static_cast<int>(pruned.steps.size());
    pruned.steps.push_back(program.steps[i]);
    for (Operand& input : pruned.steps.back().inputs) renumber(input);
  }
  pruned.fetches = program.fetches;
  pruned.ys = program.ys;
  for (Operand& fetch : pruned.fetches) renumber(fetch);
  for (Operand& y : pruned.ys) renumber(y);
  return pruned;
}

std::string Listing(const Program& program) {
  const auto name = [](const Operand& o) { return StrCat("n", o.step, ":", o.output); };
  std::string text;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const Step& step = program.steps[i];
    StrAppend(&text, "  n", i, " = ");
    if (step.op.empty()) {
      StrAppend(&text, step.fed ? StrCat("Placeholder ", step.stated.ToString(), " = ") : "Const ",
                step.value.ToString(64));
    } else {
      StrAppend(&text, step.op, "(", StrJoin(step.inputs, ", ", name), ")");
      for (const auto& [attr, value] : step.attrs) {
        StrAppend(&text, " ", attr, "=", value.ToString());
      }
    }
    StrAppend(&text, step.device.empty() ? "" : " on ", step.device, "\n");
  }
  StrAppend(&text, "  fetches: ", StrJoin(program.fetches, ", ", name));
  if (!program.ys.empty()) StrAppend(&text, "\n  gradients of: ", StrJoin(program.ys, ", ", name));
  return StrCat(text, "\n");
}

}  // namespace headrace::random_ops
