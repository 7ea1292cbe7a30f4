// What is on its way in one run of the general executor: values, loops, iterations; decides what is
// ready.
//
// Dead values are those of branches that were not taken: a node with a dead input is dead itself
// and passes that on, except for Merge, which is alive when one of its inputs is. Source: the rules
// of TensorFlow 1's control flow.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "headrace/runtime/internal/flow_graph.h"

namespace headrace {

// A value on an edge.
struct FlowValue {
  Tensor tensor;
  VariableResource* variable = nullptr;  // the edge carries a variable itself
  int memory = -1;                       // device whose own memory holds it; -1: the host's
  Tensor on_host;                        // a copy in host memory, where somebody wants it there
  bool dead = false;
};

struct FlowIteration {
  struct NodeState {
    int pending = 0;  // inputs and controls that have not come; Merge: controls only
    int dead_inputs = 0;
    int live_input = -1;  // Merge: which came
    bool any_dead = false;
    bool started = false;
  };
  int number = 0;
  int outstanding = 0;  // nodes that are ready or running, and loops entered from here
  std::vector<FlowValue> inputs;
  std::vector<NodeState> nodes;
};

struct FlowFrameRun {
  const FlowFrame* frame = nullptr;
  int id = 0;
  FlowFrameRun* parent = nullptr;
  int parent_iteration = 0;
  int pending_enters = 0;
  int first_iteration = 0;  // number of iterations.front()
  std::deque<std::unique_ptr<FlowIteration>> iterations;
  std::vector<std::pair<const FlowNode*, FlowValue>> constants;  // for every iteration
  // For an iteration that may not start yet.
  std::vector<std::pair<const FlowNode*, FlowValue>> waiting;
  std::map<const FlowNode*, bool> exits;  // was it ever alive
};

struct FlowTask {
  const FlowNode* node = nullptr;
  FlowFrameRun* frame = nullptr;
  FlowIteration* iteration = nullptr;
  bool dead = false;
  int live_input = -1;  // Merge
};

// Not thread-safe: the run holds a lock.
class FlowState {
 public:
  explicit FlowState(const FlowGraph& graph);

  // Nodes that wait for nothing.
  void Start(std::vector<FlowTask>& ready);
  // `task` is done with these outputs (of a dead one, none): hands them on and adds what became
  // ready.
  void Finish(const FlowTask& task, const std::vector<FlowValue>& outputs,
              std::vector<FlowTask>& ready);

 private:
  FlowIteration* AddIteration(FlowFrameRun& frame, std::vector<FlowTask>& ready);
  void Deliver(FlowFrameRun& frame, FlowIteration& iteration, const FlowNode& from,
               const FlowEdge& edge, const FlowValue& value, std::vector<FlowTask>& ready);
  void DeliverAll(FlowFrameRun& frame, FlowIteration& iteration, const FlowNode& from,
                  const std::vector<FlowValue>& outputs, bool dead, std::vector<FlowTask>& ready);
  void Enter(const FlowTask& task, const FlowValue& value, std::vector<FlowTask>& ready);
  void NextIteration(const FlowTask& task, const FlowValue& value, std::vector<FlowTask>& ready);
  void Exit(const FlowTask& task, const FlowValue& value, std::vector<FlowTask>& ready);
  FlowFrameRun& FrameEntered(const FlowTask& task);
  void Settle(FlowFrameRun& frame, std::vector<FlowTask>& ready);
  FlowIteration& IterationOf(FlowFrameRun& frame, int number) {
    return *frame.iterations[number - frame.first_iteration];
  }

  const FlowGraph& graph_;
  std::map<std::tuple<FlowFrameRun*, int, int>, std::unique_ptr<FlowFrameRun>> frames_;
  FlowFrameRun root_;
};

}  // namespace headrace
