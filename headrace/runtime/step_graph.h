// The part of a graph that one step runs, as a structure that passes may rewrite: cut at the feeds,
// reads of variables made explicit, shapes known as far as the feeds tell them.
//
//   HR_ASSIGN_OR_RETURN(auto step, StepGraph::Build({.feeds = ..., .fetches = ...}));
//   HR_RETURN_IF_ERROR(ResolveVariableReads(*step));
//   InferAndFold(*step, {...});  MergeEqualNodes(*step);  ...  // the passes of runtime/rewrite.h
//
// It refers to the nodes of the user's graph (for kernels, attributes and errors), which must
// outlive it, and never changes them. Not thread-safe while it is built; read-only afterwards.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "headrace/graph/graph.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

struct StepNode;

// A value that flows to a consumer.
struct StepEdge {
  StepNode* from = nullptr;
  int output = 0;
  friend bool operator==(const StepEdge&, const StepEdge&) = default;
};

enum class StepKind : uint8_t {
  kKernel,    // runs the kernel of `node`
  kFeed,      // value number `feed` of the call, in host memory of CPU:0
  kConstant,  // `values[0]`..., known when the step is compiled
  kRead,      // the value of the variable `inputs[0]` at this moment
  kOrder,     // nothing to run, only an order: a NoOp, a folded node with control inputs
};

struct StepNode {
  StepKind kind = StepKind::kKernel;
  int id = 0;                  // index in StepGraph::nodes()
  const Node* node = nullptr;  // what it stands for (for kRead: the node that made the variable)
  int device = 0;              // index in the session's devices
  int key = 0;                 // where order is free, smaller keys run first
  int feed = -1;
  std::vector<StepEdge> inputs;
  std::vector<StepNode*> controls;   // run before; no duplicates
  std::vector<DType> types;          // of the outputs, with the ref offset
  std::vector<PartialShape> shapes;  // of the outputs
  std::vector<Tensor> values;        // of the outputs where they are known, else invalid; or empty
  bool is_alias = false;  // kKernel: output 0 is input 0 seen with another shape, no kernel needed
  const Node* origin = nullptr;  // where `node` was made by a pass: the user's node, for observers
  const Node* reader = nullptr;  // kRead: the first that wants the value, for errors
  StepNode* variable = nullptr;  // for ref outputs: the node that made the variable

  // The node of the user's graph that people see.
  const Node* shown() const { return origin == nullptr ? node : origin; }
  int num_outputs() const { return static_cast<int>(types.size()); }
  DType input_type(int i) const { return RemoveRef(inputs[i].from->types[inputs[i].output]); }
  // True where input i takes the variable itself.
  bool takes_ref(int i) const { return kind == StepKind::kKernel && IsRef(node->input_type(i)); }
  const Tensor* value(int output) const {
    return values.empty() || !values[output].valid() ? nullptr : &values[output];
  }
};

class StepGraph {
 public:
  struct Request {
    std::vector<Output> feeds;
    std::vector<PartialShape> feed_shapes;
    std::vector<Output> fetches;
    std::vector<const Node*> targets;
    std::function<int(const Node&)> device_of;
  };
  // Errors: InvalidArgument for a fed variable that is written, or a cycle without control flow.
  static StatusOr<std::unique_ptr<StepGraph>> Build(const Request& request);

  // Topological order, creation order where free (loops: back edges ignored). Holes are not there:
  // see Compact.
  const std::vector<StepNode*>& nodes() const { return nodes_; }
  const std::vector<StepEdge>& fetches() const { return fetches_; }
  std::vector<StepEdge>& fetches() { return fetches_; }
  const std::vector<StepNode*>& targets() const { return targets_; }
  std::vector<StepNode*>& targets() { return targets_; }
  int num_feeds() const { return num_feeds_; }
  // Control flow, and ops that wait, need the general executor.
  bool has_control_flow() const { return has_control_flow_; }
  bool has_blocking() const { return has_blocking_; }

  StepNode* Add(StepKind kind, const Node* node, int device);
  // A node of another op for what `like` and nodes before it compute, with its name and location. The step owns it.
  StatusOr<const Node*> MakeNode(const Node& like, std::string op, AttrMap attrs, const std::vector<StepEdge>& inputs);
  // Drops nodes that no fetch and no target needs, sorts, and renumbers. InvalidArgument names a
  // node on a cycle.
  Status Compact();
  // Another topological order of the same nodes.
  void SetOrder(std::vector<StepNode*> order);

 private:
  friend class StepGraphBuilder;
  std::vector<std::unique_ptr<StepNode>> owned_;
  std::vector<std::unique_ptr<Graph>> made_;  // each holds one node of MakeNode and stand-ins for its inputs
  std::vector<StepNode*> nodes_;
  std::vector<StepEdge> fetches_;
  std::vector<StepNode*> targets_;
  int num_feeds_ = 0;
  bool has_control_flow_ = false, has_blocking_ = false;
};

// Makes reads of variables explicit (kRead nodes). A read that no path puts after a write of the
// same step comes before it; one that is after it sees it. So does a node after a write that takes
// the value by way of a "read" node (an Identity of the variable) that is not: in TensorFlow 1 that
// node's output shares the variable's bytes. A fetch gives what the step leaves, as in
// TensorFlow 1 (`run([train, global_step])` shows the new step). Adds the order as control edges.
Status ResolveVariableReads(StepGraph& step);
// The same for graphs with control flow, where no order is promised: each use reads when its own
// inputs have come.
Status MakeReadsExplicit(StepGraph& step);

// Successors of each node of a step, by id: consumers of its outputs and nodes that it controls.
class SuccessorIndex {
 public:
  explicit SuccessorIndex(const StepGraph& step);
  std::span<StepNode* const> of(const StepNode& node) const {
    return {list_.data() + begin_[node.id], list_.data() + begin_[node.id + 1]};
  }

 private:
  std::vector<int> begin_;
  std::vector<StepNode*> list_;
};

// Adds `before` to the controls of `after` unless it is there.
void AddControl(StepNode& after, StepNode& before);

}  // namespace headrace
