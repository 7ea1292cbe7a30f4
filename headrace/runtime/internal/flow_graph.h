// The fixed part of the general executor: nodes with their consumers, and the loops ("frames") they
// belong to.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "headrace/device/device_set.h"
#include "headrace/kernel/kernel.h"
#include "headrace/runtime/special_ops.h"
#include "headrace/runtime/step_graph.h"

namespace headrace {

struct FlowNode;

struct FlowEdge {
  FlowNode* to = nullptr;
  int input = -1;   // -1: control
  int output = -1;  // of the source; -1: control
};

struct FlowNode {
  const StepNode* step = nullptr;
  OpTrait trait = OpTrait::kNone;  // control flow only
  bool blocking = false;
  int index = 0;        // in its frame
  int frame = 0;        // where it runs
  int first_input = 0;  // of its inputs among those of the frame
  int num_controls = 0;
  int enters = -1;           // Enter: the frame whose first iteration gets the value
  bool is_constant = false;  // Enter: for all iterations
  std::vector<FlowEdge> out;
  std::vector<std::pair<int, int>> fetches;     // output, number of the fetch
  std::vector<bool> host_inputs, host_outputs;  // empty: all as the device has them
  // Where consumers want what it makes: bit 0 the host's memory, bit d + 1 that of device d.
  uint64_t wanted_in = 0;
  static uint64_t MemoryBit(int memory) { return uint64_t{1} << ((memory + 1) & 63); }
  int num_inputs() const { return static_cast<int>(step->inputs.size()); }
};

struct FlowFrame {
  std::string name;
  int parent = -1;
  int parallel_iterations = 1;
  int num_enters = 0;  // Enter nodes that lead in: the frame is complete only after all of them
  int num_inputs = 0;  // of all its nodes
  std::vector<FlowNode*> nodes;
};

// Device in whose own memory the node has input (or output) i, -1 for the host's; `on_host` is one
// of the node's lists.
int FlowMemory(const FlowNode& node, const std::vector<bool>& on_host, int i,
               const DeviceSet& devices);

class FlowGraph {
 public:
  static StatusOr<std::unique_ptr<FlowGraph>> Build(const StepGraph& step,
                                                    const DeviceSet& devices);

  const std::vector<std::unique_ptr<FlowNode>>& nodes() const { return nodes_; }  // by StepNode id
  const std::vector<FlowFrame>& frames() const { return frames_; }  // [0] is the step itself

 private:
  void Connect(const StepGraph& step);
  Status AssignFrames(const StepGraph& step);
  StatusOr<int> FrameEntered(const StepNode& enter, int parent);
  Status FindHostArgs(FlowNode& node, const DeviceSet& devices);
  void FindWantedMemories(const DeviceSet& devices);

  std::vector<std::unique_ptr<FlowNode>> nodes_;
  std::vector<FlowFrame> frames_;
  std::map<std::pair<int, std::string>, int> frame_by_name_;
};

// Kernels of one run, by StepNode id; null where the executor itself does the work.
struct FlowKernels {
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<std::unique_ptr<std::mutex>> locks;  // in loops, where iterations overlap
  static StatusOr<std::unique_ptr<FlowKernels>> Make(const FlowGraph& flow, DeviceSet& devices,
                                                     ResourceStore& resources);
};

}  // namespace headrace
