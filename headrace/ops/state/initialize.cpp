// First values of variables in an order in which each initial value finds the variables that it
// reads.
//
// The initial value of one variable may read another ("Variable average(g, w.value())"). Running
// all "Assign" nodes at once would race. Nodes between the read and the Assign are therefore made a
// second time, under the name of the new op, with control edges from the initializer of what is
// read; the nodes of the program stay as they are, so that a training step which reads w never
// initialises it.
#include <algorithm>
#include <map>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/variable.h"

namespace headrace {
namespace {

class InitializerBuilder {
 public:
  InitializerBuilder(Graph& graph, std::span<const Variable> variables) : graph_(graph) {
    for (const Variable& variable : variables) {
      if (variable.valid() && variable.initializer() != nullptr) variables_.push_back(variable);
    }
    for (size_t i = 0; i < variables_.size(); ++i) index_.emplace(variables_[i].ref().node, i);
  }

  // One op for each variable, in an order that works.
  StatusOr<std::vector<Node*>> Build();

 private:
  using Indices = std::set<size_t>;
  // Nodes that the initial value depends on, by id; not through variables.
  static std::vector<Node*> Cone(Output value);
  // The variables whose value the node itself reads.
  Indices ReadBy(const Node& node) const;
  StatusOr<std::vector<size_t>> Order(const std::vector<Indices>& needs) const;
  StatusOr<Node*> Rebuild(size_t variable, const std::vector<Node*>& cone);
  StatusOr<Node*> Copy(const Node& node, const Indices& reads);

  Graph& graph_;
  std::vector<Variable> variables_;
  std::map<const Node*, size_t> index_;
  std::vector<Node*> initializers_;
  std::map<const Node*, Node*> copies_;
};

std::vector<Node*> InitializerBuilder::Cone(Output value) {
  std::set<Node*> seen;
  std::vector<Node*> open = {value.node};
  while (!open.empty()) {
    Node* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    for (const Output& input : node->inputs()) open.push_back(input.node);
    for (Node* control : node->control_inputs()) open.push_back(control);
  }
  std::vector<Node*> cone(seen.begin(), seen.end());
  std::ranges::sort(cone, {}, &Node::id);  // inputs come before what uses them
  return cone;
}

InitializerBuilder::Indices InitializerBuilder::ReadBy(const Node& node) const {
  Indices reads;
  if (node.op().allows_uninitialized() || node.op_name() == "VarIsInitializedOp") return reads;
  for (const Output& input : node.inputs()) {
    if (!IsRef(input.dtype()) && input.dtype() != DType::kResource) continue;
    if (auto it = index_.find(input.node); it != index_.end()) reads.insert(it->second);
  }
  return reads;
}

StatusOr<std::vector<size_t>> InitializerBuilder::Order(const std::vector<Indices>& needs) const {
  std::vector<size_t> order, waiting_for(needs.size());
  std::vector<std::vector<size_t>> readers(needs.size());
  for (size_t i = 0; i < needs.size(); ++i) {
    waiting_for[i] = needs[i].size();
    for (size_t read : needs[i]) readers[read].push_back(i);
    if (needs[i].empty()) order.push_back(i);
  }
  for (size_t next = 0; next < order.size(); ++next) {
    for (size_t reader : readers[order[next]]) {
      if (--waiting_for[reader] == 0) order.push_back(reader);
    }
  }
  if (order.size() == needs.size()) return order;
  const size_t reader = static_cast<size_t>(
      std::ranges::find_if(waiting_for, [](size_t n) { return n > 0; }) - waiting_for.begin());
  const size_t read =
      *std::ranges::find_if(needs[reader], [&](size_t i) { return waiting_for[i] > 0; });
  return InvalidArgument("initial values depend on each other: that of ",
                         variables_[reader].ref().node->Describe(), " reads ",
                         variables_[read].ref().node->Describe(),
                         ", whose own initial value cannot be known first");
}

StatusOr<Node*> InitializerBuilder::Copy(const Node& node, const Indices& reads) {
  NodeSpec spec{.op = node.op_name(),
                .name = node.name(),
                .attrs = node.attrs(),
                .device = node.requested_device(),
                .location = node.location()};
  auto mapped = [&](Node* original) {
    auto it = copies_.find(original);
    return it == copies_.end() ? original : it->second;
  };
  for (const Output& input : node.inputs())
    spec.inputs.push_back({mapped(input.node), input.index});
  for (Node* control : node.control_inputs()) spec.control_inputs.push_back(mapped(control));
  for (size_t read : reads) spec.control_inputs.push_back(initializers_[read]);
  return graph_.AddNode(std::move(spec));
}

StatusOr<Node*> InitializerBuilder::Rebuild(size_t variable, const std::vector<Node*>& cone) {
  for (Node* node : cone) {
    if (copies_.contains(node)) continue;
    const Indices reads = ReadBy(*node);
    auto copied = [&](const Node* source) { return copies_.contains(source); };
    const bool depends =
        !reads.empty() ||
        std::ranges::any_of(node->inputs(),
                            [&](const Output& input) { return copied(input.node); }) ||
        std::ranges::any_of(node->control_inputs(), copied);
    if (!depends) continue;
    HR_ASSIGN_OR_RETURN(Node * copy, Copy(*node, reads));
    copies_.emplace(node, copy);
  }
  return Copy(*variables_[variable].initializer(), {});
}

StatusOr<std::vector<Node*>> InitializerBuilder::Build() {
  std::vector<Indices> needs(variables_.size());
  std::vector<std::vector<Node*>> cones(variables_.size());
  for (size_t i = 0; i < variables_.size(); ++i) {
    cones[i] = Cone(variables_[i].initial_value());
    for (const Node* node : cones[i]) needs[i].merge(ReadBy(*node));
  }
  HR_ASSIGN_OR_RETURN(const std::vector<size_t> order, Order(needs));
  initializers_.resize(variables_.size());
  ControlDependencies none(graph_, nullptr);
  DeviceScope anywhere(graph_, nullptr);
  for (size_t i : order) {
    initializers_[i] = variables_[i].initializer();
    if (needs[i].empty()) continue;
    HR_ASSIGN_OR_RETURN(initializers_[i], Rebuild(i, cones[i]));
  }
  return initializers_;
}

}  // namespace

Node* InitializeVariables(Graph& g, std::span<const Variable> variables, OpOptions o,
                          Location where) {
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].valid() && variables[i].ref().graph() != &g) {
      g.ReportError(InvalidArgument("InitializeVariables (", where.ToString(), "): variable '",
                                    variables[i].name(), "' belongs to another graph"));
      return nullptr;
    }
    if (variables[i].valid()) continue;  // else the graph has its error; if it was never made:
    g.ReportError(InvalidArgument("InitializeVariables (", where.ToString(), "): variables[", i,
                                  "] is no variable"));
    return nullptr;
  }
  NameScope scope(g, o.name.empty() ? "init" : o.name);
  StatusOr<std::vector<Node*>> initializers = InitializerBuilder(g, variables).Build();
  if (!initializers.ok()) {
    g.ReportError(initializers.status());
    return nullptr;
  }
  return Group(g, *initializers, {.name = g.name_scope() + "/"}, where);
}

Node* GlobalVariablesInitializer(Graph& g, OpOptions o, Location where) {
  std::vector<Variable> variables;
  for (const Output& ref : g.Collection(kVariables)) variables.push_back(Variable::Of(ref));
  return InitializeVariables(g, variables, std::move(o), where);
}

}  // namespace headrace
