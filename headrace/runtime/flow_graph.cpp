#include "headrace/runtime/internal/flow_graph.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {

StatusOr<std::unique_ptr<FlowGraph>> FlowGraph::Build(const StepGraph& step,
                                                      const DeviceSet& devices) {
  auto flow = std::make_unique<FlowGraph>();
  for (const StepNode* node : step.nodes()) {
    auto made = std::make_unique<FlowNode>();
    made->step = node;
    if (node->kind == StepKind::kKernel) {
      const OpTrait trait = TraitOf(node->node->op_name());
      if (IsControlFlow(trait)) made->trait = trait;
      made->blocking = node->node->op().blocking();
      HR_RETURN_IF_ERROR(flow->FindHostArgs(*made, devices));
    }
    flow->nodes_.push_back(std::move(made));
  }
  flow->Connect(step);
  HR_RETURN_IF_ERROR(flow->AssignFrames(step));
  flow->FindWantedMemories(devices);
  for (auto& node : flow->nodes_) {
    FlowFrame& frame = flow->frames_[node->frame];
    node->index = static_cast<int>(frame.nodes.size());
    node->first_input = frame.num_inputs;
    frame.num_inputs += node->num_inputs();
    frame.nodes.push_back(node.get());
  }
  return flow;
}

void FlowGraph::Connect(const StepGraph& step) {
  for (const StepNode* node : step.nodes()) {
    FlowNode* to = nodes_[node->id].get();
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      nodes_[node->inputs[i].from->id]->out.push_back(
          {to, static_cast<int>(i), node->inputs[i].output});
    }
    for (const StepNode* control : node->controls) nodes_[control->id]->out.push_back({to, -1, -1});
    to->num_controls = static_cast<int>(node->controls.size());
  }
}

// A node runs in the frame of its inputs; an Enter's value is in the frame it opens, an Exit's in
// the one around.
Status FlowGraph::AssignFrames(const StepGraph& step) {
  frames_.push_back(FlowFrame{});
  for (const StepNode* node : step.nodes()) {  // sources first; only loops' back edges come later
    FlowNode& flow = *nodes_[node->id];
    int frame = -1;
    auto meet = [&](const StepNode* from) -> Status {
      if (from->id >= node->id) return absl::OkStatus();
      const FlowNode& source = *nodes_[from->id];
      int made_in = source.frame;
      if (source.trait == OpTrait::kEnter) made_in = source.enters;
      if (source.trait == OpTrait::kExit) made_in = frames_[source.frame].parent;
      if (frame >= 0 && made_in != frame) {
        return InvalidArgument(node->node->Describe(), ": its inputs come from different loops, '",
                               frames_[frame].name, "' and '", frames_[made_in].name,
                               "'; a value passes into a loop through an Enter");
      }
      frame = made_in;
      return absl::OkStatus();
    };
    for (const StepEdge& edge : node->inputs) HR_RETURN_IF_ERROR(meet(edge.from));
    for (const StepNode* control : node->controls) HR_RETURN_IF_ERROR(meet(control));
    flow.frame = std::max(frame, 0);
    if (flow.trait == OpTrait::kEnter) {
      HR_ASSIGN_OR_RETURN(flow.enters, FrameEntered(*node, flow.frame));
      flow.is_constant = node->node->attrs().GetOr<bool>("is_constant", false);
    }
    if ((flow.trait == OpTrait::kExit || flow.trait == OpTrait::kNextIteration) &&
        flow.frame == 0) {
      return InvalidArgument(node->node->Describe(), ": is not in a loop");
    }
  }
  for (size_t i = 0; i < step.fetches().size(); ++i) {
    const StepEdge& fetch = step.fetches()[i];
    FlowNode& flow = *nodes_[fetch.from->id];
    flow.fetches.emplace_back(fetch.output, static_cast<int>(i));
    const bool leaves = flow.trait == OpTrait::kExit && frames_[flow.frame].parent == 0;
    if ((flow.frame != 0 || flow.trait == OpTrait::kEnter) && !leaves) {
      return InvalidArgument(fetch.from->node->Describe(),
                             ": is inside a loop and has a value for each iteration; it cannot "
                             "be fetched");
    }
  }
  return absl::OkStatus();
}

StatusOr<int> FlowGraph::FrameEntered(const StepNode& enter, int parent) {
  const std::string name = enter.node->attrs().GetOr<std::string>("frame_name", "");
  if (name.empty()) return InvalidArgument(enter.node->Describe(), ": has no frame_name");
  auto [it, added] = frame_by_name_.try_emplace({parent, name}, static_cast<int>(frames_.size()));
  if (added) {
    frames_.push_back(FlowFrame{.name = name, .parent = parent});
    const int64_t parallel = enter.node->attrs().GetOr<int64_t>("parallel_iterations", 10);
    frames_.back().parallel_iterations =
        static_cast<int>(std::clamp<int64_t>(parallel, 1, 1 << 20));
  }
  ++frames_[it->second].num_enters;
  return it->second;
}

Status FlowGraph::FindHostArgs(FlowNode& flow, const DeviceSet& devices) {
  const Device& device = devices.device(flow.step->device);
  if (!device.separate_memory() || flow.trait != OpTrait::kNone) return absl::OkStatus();
  const Node& node = *flow.step->node;
  HR_ASSIGN_OR_RETURN(const DeviceSupport* support, FindSupport(node, device.type()));
  auto on_host = [&](const ArgDef& arg, DType type) {
    return !IsPlain(RemoveRef(type)) ||
           std::find(support->host_args.begin(), support->host_args.end(), arg.name) !=
               support->host_args.end();
  };
  for (int i = 0; i < node.num_inputs(); ++i) {
    flow.host_inputs.push_back(on_host(node.op().InputArg(node.attrs(), i), node.input_type(i)));
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    flow.host_outputs.push_back(on_host(node.op().OutputArg(node.attrs(), i), node.output_type(i)));
  }
  return absl::OkStatus();
}

int FlowMemory(const FlowNode& node, const std::vector<bool>& on_host, int i,
               const DeviceSet& devices) {
  const int device = node.step->device;
  return !devices.device(device).separate_memory() || (!on_host.empty() && on_host[i]) ? -1
                                                                                       : device;
}

// Only a device's own stream copies out of its memory (a stream that waited for another could wait
// for ever), so the maker of a value must know whether it is wanted elsewhere, also behind the
// nodes that only pass it on.
void FlowGraph::FindWantedMemories(const DeviceSet& devices) {
  auto passes_on = [](const FlowNode& node) {
    return node.trait != OpTrait::kNone || node.step->is_alias;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) {
      FlowNode& node = **it;
      uint64_t wanted = node.fetches.empty() ? 0 : FlowNode::MemoryBit(-1);
      for (const FlowEdge& edge : node.out) {
        if (edge.input < 0) continue;
        const bool predicate = edge.to->trait == OpTrait::kSwitch && edge.input == 1;
        if (predicate) {
          wanted |= FlowNode::MemoryBit(-1);
        } else if (passes_on(*edge.to)) {
          wanted |= edge.to->wanted_in;
        } else {
          wanted |=
              FlowNode::MemoryBit(FlowMemory(*edge.to, edge.to->host_inputs, edge.input, devices));
        }
      }
      changed |= wanted != node.wanted_in;
      node.wanted_in = wanted;
    }
  }
}

StatusOr<std::unique_ptr<FlowKernels>> FlowKernels::Make(const FlowGraph& flow, DeviceSet& devices,
                                                         ResourceStore& resources) {
  auto made = std::make_unique<FlowKernels>();
  made->kernels.resize(flow.nodes().size());
  made->locks.resize(flow.nodes().size());
  for (const auto& node : flow.nodes()) {
    const StepNode& step = *node->step;
    if (step.kind != StepKind::kKernel || node->trait != OpTrait::kNone || step.is_alias) continue;
    HR_ASSIGN_OR_RETURN(made->kernels[step.id],
                        CreateKernel(*step.node, devices.device(step.device), resources));
    if (node->frame != 0) made->locks[step.id] = std::make_unique<std::mutex>();
  }
  return made;
}

}  // namespace headrace
