#include "headrace/ops/control/no_op.h"

#include <map>
#include <vector>

#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"
#include "headrace/ops/array/int_arg.h"

namespace headrace {
namespace {

Status Nothing(KernelContext&) {
  return absl::OkStatus();
}

}  // namespace

Node* NoOp(Graph& g, OpOptions o, Location where) {
  return NodeBuilder(g, "NoOp", o.name, where).BuildNode();
}

Node* ControlTrigger(Graph& g, OpOptions o, Location where) {
  return NodeBuilder(g, "ControlTrigger", o.name, where).BuildNode();
}

Node* Group(Graph& g, std::span<Node* const> ops, OpOptions o, Location where) {
  std::map<std::string, std::vector<Node*>> by_device;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i] == nullptr) {  // the graph has the error of the builder that gave it; if it was none:
      g.ReportError(InvalidArgument("Group (", where.ToString(), "): ops[", i,
                                    "] is null; an op of the graph is wanted"));
      return nullptr;
    }
    by_device[ops[i]->requested_device()].push_back(ops[i]);
  }
  const OpScope scope(g, o.name, "group_deps");
  const auto after = [&](const std::vector<Node*>& nodes, std::string_view name,
                         std::string_view device) {
    NodeBuilder builder(g, "NoOp", name, where);
    for (Node* node : nodes) builder.Control(node);
    if (!device.empty()) builder.Device(device);
    return builder.BuildNode();
  };
  if (by_device.size() <= 1) {
    if (by_device.empty()) return after({}, scope.op_name(), "");
    return after(by_device.begin()->second, scope.op_name(), by_device.begin()->first);
  }
  // One node a device, so that a device is waited for with one message.
  std::vector<Node*> groups;
  for (const auto& [device, nodes] : by_device) groups.push_back(after(nodes, "", device));
  return after(groups, scope.op_name(), "");
}

void DefineNoOp(OpRegistry& ops) {
  ops.Define("NoOp")
      .Shape(NoShape)
      .NoGradient()
      .Cpu({.make = MakeFunctionKernel<Nothing>})
      .Gpu({.make = nullptr})
      .Doc("Only orders other nodes.");
  ops.Define("ControlTrigger")
      .Shape(NoShape)
      .NoGradient()
      .Cpu({.make = MakeFunctionKernel<Nothing>})
      .Gpu({.make = nullptr})
      .Doc("Orders other nodes, and runs even when they are dead.");
}

}  // namespace headrace
