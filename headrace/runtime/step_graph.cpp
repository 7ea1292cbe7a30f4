#include "headrace/runtime/step_graph.h"

#include <algorithm>
#include <queue>

#include "absl/container/flat_hash_map.h"
#include "headrace/base/strings.h"
#include "headrace/runtime/special_ops.h"

namespace headrace {
namespace {

// A loop's back edge does not order its ends.
bool IsBackEdge(const StepNode& to, const StepNode& from) {
  return to.kind == StepKind::kKernel && from.kind == StepKind::kKernel &&
         TraitOf(from.node->op_name()) == OpTrait::kNextIteration &&
         TraitOf(to.node->op_name()) == OpTrait::kMerge;
}

}  // namespace

// Walks back from what the call wants; a fed output ends the walk.
class StepGraphBuilder {
 public:
  explicit StepGraphBuilder(const StepGraph::Request& request) : request_(request) {}

  StatusOr<std::unique_ptr<StepGraph>> Build() {
    AddFeeds();
    for (const Output& fetch : request_.fetches) {
      step_->fetches_.push_back(EdgeTo(fetch));
    }
    for (const Node* target : request_.targets) step_->targets_.push_back(OrderedNodeFor(*target));
    while (!pending_.empty()) {
      StepNode* node = pending_.back();
      pending_.pop_back();
      HR_RETURN_IF_ERROR(Connect(*node));
    }
    HR_RETURN_IF_ERROR(step_->Compact());
    return std::move(step_);
  }

 private:
  void AddFeeds() {
    step_->num_feeds_ = static_cast<int>(request_.feeds.size());
    for (size_t i = 0; i < request_.feeds.size(); ++i) {
      const Output& fed = request_.feeds[i];
      StepNode* feed = step_->Add(StepKind::kFeed, fed.node, 0);
      feed->feed = static_cast<int>(i);
      feed->types = {fed.value_dtype()};
      feed->shapes = {request_.feed_shapes[i]};
      feeds_.emplace(std::pair(static_cast<const Node*>(fed.node), fed.index), feed);
    }
  }

  StepNode* NodeFor(const Node& node) {
    StepNode*& made = made_[&node];
    if (made != nullptr) return made;
    made = step_->Add(StepKind::kKernel, &node, request_.device_of(node));
    for (int i = 0; i < node.num_outputs(); ++i) {
      made->types.push_back(node.output_type(i));
      made->shapes.push_back(node.output_shape(i));
    }
    step_->has_blocking_ |= node.op().blocking();
    const OpTrait trait = TraitOf(node.op_name());
    step_->has_control_flow_ |= IsControlFlow(trait) || trait == OpTrait::kChoosesVariable;
    pending_.push_back(made);
    return made;
  }

  // What stands for a node that only has to have run: where all it gives is fed, it need not run at
  // all.
  StepNode* OrderedNodeFor(const Node& node) {
    StepNode* feed = nullptr;
    for (int i = 0; i < node.num_outputs() && !feeds_.empty() && !node.op().stateful(); ++i) {
      auto fed = feeds_.find(std::pair(&node, i));
      if (fed == feeds_.end()) return NodeFor(node);
      feed = fed->second;
    }
    return feed == nullptr ? NodeFor(node) : feed;
  }

  StepEdge EdgeTo(const Output& source) {
    if (!feeds_.empty()) {
      auto fed = feeds_.find(std::pair(static_cast<const Node*>(source.node), source.index));
      if (fed != feeds_.end()) return {fed->second, 0};
    }
    return {NodeFor(*source.node), source.index};
  }

  Status Connect(StepNode& step_node) {
    const Node& node = *step_node.node;
    step_node.inputs.reserve(node.num_inputs());
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!node.input(i).valid()) {
        return InvalidArgument(node.Describe(), ": input ", i, " is not connected");
      }
      const StepEdge edge = EdgeTo(node.input(i));
      if (IsRef(node.input_type(i)) && edge.from->kind == StepKind::kFeed) {
        return InvalidArgument(node.Describe(), ": takes the variable '", node.input(i).name(),
                               "' itself, which cannot be fed");
      }
      step_node.inputs.push_back(edge);
    }
    for (Node* control : node.control_inputs()) AddControl(step_node, *OrderedNodeFor(*control));
    return absl::OkStatus();
  }

  const StepGraph::Request& request_;
  std::unique_ptr<StepGraph> step_ = std::make_unique<StepGraph>();
  absl::flat_hash_map<const Node*, StepNode*> made_;
  absl::flat_hash_map<std::pair<const Node*, int>, StepNode*> feeds_;
  std::vector<StepNode*> pending_;
};

StatusOr<std::unique_ptr<StepGraph>> StepGraph::Build(const Request& request) {
  return StepGraphBuilder(request).Build();
}

StepNode* StepGraph::Add(StepKind kind, const Node* node, int device) {
  owned_.push_back(std::make_unique<StepNode>());
  StepNode* added = owned_.back().get();
  added->kind = kind;
  added->node = node;
  added->device = device;
  added->key = node == nullptr ? 0 : node->id();
  added->id = -1;
  return added;
}

StatusOr<const Node*> StepGraph::MakeNode(const Node& like, std::string op, AttrMap attrs,
                                          const std::vector<StepEdge>& inputs) {
  auto graph = std::make_unique<Graph>(like.graph().registry());
  NodeSpec spec{.op = std::move(op),
                .name = StrCat(like.name(), "/"),
                .attrs = std::move(attrs),
                .location = like.location()};
  for (const StepEdge& input : inputs) {
    const DType type = input.from->types[input.output];
    HR_ASSIGN_OR_RETURN(Node * stand_in,
                        graph->AddNode({.op = IsRef(type) ? "VariableV2" : "Placeholder",
                                        .name = StrCat(like.name(), "_input"),
                                        .attrs = {{"dtype", RemoveRef(type)},
                                                  {"shape", input.from->shapes[input.output]}}}));
    spec.inputs.push_back(stand_in->output(0));
  }
  HR_ASSIGN_OR_RETURN(const Node* made, graph->AddNode(std::move(spec)));
  made_.push_back(std::move(graph));
  return made;
}

Status StepGraph::Compact() {
  // Needed nodes get an index for the sort; what is not reached keeps -1 and is dropped.
  std::vector<StepNode*> needed;
  for (auto& node : owned_) node->id = -1;
  auto need = [&](StepNode* node) {
    if (node->id >= 0) return;
    node->id = static_cast<int>(needed.size());
    needed.push_back(node);
  };
  for (StepEdge& edge : fetches_) need(edge.from);
  for (StepNode* target : targets_) need(target);
  for (size_t i = 0; i < needed.size(); ++i) {
    for (StepEdge& edge : needed[i]->inputs) need(edge.from);
    for (StepNode* control : needed[i]->controls) need(control);
  }

  std::vector<int> waiting(needed.size(), 0);
  std::vector<std::vector<StepNode*>> successors(needed.size());
  for (StepNode* node : needed) {
    auto wait_for = [&](StepNode* from) {
      if (IsBackEdge(*node, *from)) return;
      ++waiting[node->id];
      successors[from->id].push_back(node);
    };
    for (StepEdge& edge : node->inputs) wait_for(edge.from);
    for (StepNode* control : node->controls) wait_for(control);
  }
  auto later = [](const StepNode* a, const StepNode* b) {
    return a->key != b->key ? a->key > b->key : a->id > b->id;
  };
  std::priority_queue<StepNode*, std::vector<StepNode*>, decltype(later)> ready(later);
  for (StepNode* node : needed) {
    if (waiting[node->id] == 0) ready.push(node);
  }
  nodes_.clear();
  nodes_.reserve(needed.size());
  while (!ready.empty()) {
    StepNode* node = ready.top();
    ready.pop();
    nodes_.push_back(node);
    for (StepNode* next : successors[node->id]) {
      if (--waiting[next->id] == 0) ready.push(next);
    }
  }
  if (nodes_.size() != needed.size()) {
    auto stuck =
        std::find_if(needed.begin(), needed.end(), [&](StepNode* n) { return waiting[n->id] > 0; });
    return InvalidArgument("the graph has a cycle through ", (*stuck)->node->Describe());
  }
  for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->id = static_cast<int>(i);
  std::erase_if(owned_, [](const std::unique_ptr<StepNode>& node) { return node->id < 0; });
  return absl::OkStatus();
}

void StepGraph::SetOrder(std::vector<StepNode*> order) {
  nodes_ = std::move(order);
  for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->id = static_cast<int>(i);
}

SuccessorIndex::SuccessorIndex(const StepGraph& step) : begin_(step.nodes().size() + 1, 0) {
  auto each_edge = [&](auto&& visit) {
    for (StepNode* node : step.nodes()) {
      for (const StepEdge& edge : node->inputs) visit(edge.from, node);
      for (StepNode* control : node->controls) visit(control, node);
    }
  };
  each_edge([&](StepNode* from, StepNode*) { ++begin_[from->id + 1]; });
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  list_.resize(begin_.back());
  std::vector<int> next(begin_.begin(), begin_.end() - 1);
  each_edge([&](StepNode* from, StepNode* to) { list_[next[from->id]++] = to; });
}

void AddControl(StepNode& after, StepNode& before) {
  if (std::find(after.controls.begin(), after.controls.end(), &before) == after.controls.end()) {
    after.controls.push_back(&before);
  }
}

}  // namespace headrace
