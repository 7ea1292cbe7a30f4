// ResolveVariableReads: when within a step a variable is read.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "headrace/base/strings.h"
#include "headrace/runtime/special_ops.h"
#include "headrace/runtime/step_graph.h"

namespace headrace {
namespace {

// Which of a handful of nodes ("events": writes of one variable, ops that wait) come before each
// node of the step.
class Ancestry {
 public:
  explicit Ancestry(const StepGraph& step) : step_(step), successors_(step) {}

  // Nodes reached from `event`, itself included.
  const std::vector<bool>& After(StepNode* event) {
    auto [it, added] = after_.try_emplace(event);
    if (!added) return it->second;
    std::vector<bool>& reached = it->second;
    reached.assign(step_.nodes().size(), false);
    std::vector<StepNode*> pending{event};
    reached[event->id] = true;
    while (!pending.empty()) {
      StepNode* node = pending.back();
      pending.pop_back();
      for (StepNode* next : successors_.of(*node)) {
        if (reached[next->id]) continue;
        reached[next->id] = true;
        pending.push_back(next);
      }
    }
    return reached;
  }

 private:
  const StepGraph& step_;
  SuccessorIndex successors_;
  std::map<StepNode*, std::vector<bool>> after_;
};

// Which variable each ref output stands for: the ref input that the op passes on, or its own.
void FindVariables(const StepGraph& step) {
  for (StepNode* node : step.nodes()) {
    for (DType type : node->types) {
      if (!IsRef(type)) continue;
      node->variable = node;
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        if (!node->takes_ref(static_cast<int>(i))) continue;
        node->variable = node->inputs[i].from->variable;
        break;
      }
      break;
    }
  }
}

// A node that gives what comes in, at no time that the program asks for.
bool IsCopy(const StepNode& node) {
  return node.kind == StepKind::kKernel && TraitOf(node.node->op_name()) == OpTrait::kPassThrough &&
         node.controls.empty() && !node.takes_ref(0);
}

// Variables' "read" nodes share the variables' bytes in TensorFlow 1: a node that the program
// orders after a write gets the new value through a "read" that is not ordered itself. Such nodes
// take the variable here (and with it a read of their own), whatever else the "read" serves. A copy
// that the program puts before other nodes was made to keep the value of its moment, and keeps it.
void TakeWrittenValues(StepGraph& step) {
  std::map<const StepNode*, std::vector<StepNode*>> writes;
  for (StepNode* node : step.nodes()) {
    if (node->kind != StepKind::kKernel) continue;
    for (int input : node->node->op().written_variables()) {
      const StepEdge& written = node->inputs[static_cast<size_t>(input)];
      if (IsRef(written.from->types[written.output]) && written.from->variable != nullptr)
        writes[written.from->variable].push_back(node);
    }
  }
  if (writes.empty()) return;
  std::set<const StepNode*> kept;
  for (const StepNode* node : step.nodes()) kept.insert(node->controls.begin(), node->controls.end());
  Ancestry ancestry(step);
  for (StepNode* node : step.nodes()) {
    for (StepEdge& input : node->inputs) {
      StepNode* read = input.from;
      if (!IsCopy(*read) || read->inputs.empty() || kept.contains(read)) continue;
      const StepEdge source = read->inputs[0];
      if (!IsRef(source.from->types[source.output])) continue;
      const auto found = writes.find(source.from->variable);
      if (found == writes.end()) continue;
      const bool later = std::ranges::any_of(found->second, [&](StepNode* write) {
        const std::vector<bool>& after = ancestry.After(write);
        return write != node && after[node->id] && !after[read->id];
      });
      if (later) input = source;
    }
  }
}

class ReadResolver {
 public:
  explicit ReadResolver(StepGraph& step) : step_(step), ancestry_(step) {}

  void Run() {
    FindEvents();
    // The list grows while reads are added; they take no values by themselves.
    const std::vector<StepNode*> nodes = step_.nodes();
    for (StepEdge& fetch : step_.fetches()) fetch = ReadAtEnd(fetch);
    for (StepNode* node : nodes) {
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        if (node->takes_ref(static_cast<int>(i))) continue;
        node->inputs[i] = ReadBefore(node->inputs[i], *node, node->key);
      }
    }
  }

 private:
  void FindEvents() {
    for (StepNode* node : step_.nodes()) {
      if (node->kind != StepKind::kKernel) continue;
      if (node->node->op().blocking()) waits_.push_back(node);
      for (int input : node->node->op().written_variables()) {
        writes_[node->inputs[input].from->variable].push_back(node);
      }
    }
  }

  // What a consumer gets for an edge.
  StepEdge ReadBefore(StepEdge edge, StepNode& consumer, int key) {
    if (!IsRef(edge.from->types[edge.output])) return edge;
    StepNode* variable = edge.from->variable;
    std::vector<StepNode*> before, after;  // the read
    int last = -1;
    const auto see = [&](StepNode* write) {
      before.push_back(write);
      last = std::max(last, write->id);
    };
    if (edge.from != variable) see(edge.from);
    std::vector<StepNode*> free;
    for (StepNode* write : writes_[variable]) {
      const bool seen = write != &consumer && ancestry_.After(write)[consumer.id];
      seen ? see(write) : free.push_back(write);
    }
    // Writes that no path orders happen in the order of the step: else two reads, each after a write
    // of its own and before that of the other, would wait for each other.
    for (StepNode* write : free) (write->id < last ? before : after).push_back(write);
    for (StepNode* wait : waits_) {
      if (wait != &consumer && ancestry_.After(wait)[consumer.id]) before.push_back(wait);
    }
    const StepEdge read = Read(edge, std::move(before), consumer.node, key);
    for (StepNode* write : after) AddControl(*write, *read.from);
    return read;
  }

  // What a fetch gets: the variable as the step leaves it, as TensorFlow 1 shows it, whose fetches
  // share the bytes that the step's writes go to. An identity of it is fetched in the same way
  // unless the program orders it before a write.
  StepEdge ReadAtEnd(StepEdge edge) {
    StepNode* fetched = edge.from;
    StepEdge source = edge;
    while (IsCopy(*source.from)) source = source.from->inputs[0];
    if (source != edge && IsRef(source.from->types[source.output])) {
      const std::vector<StepNode*>& writes = writes_[source.from->variable];
      const std::vector<bool>& later = ancestry_.After(fetched);
      if (!writes.empty() &&
          std::ranges::none_of(writes, [&](StepNode* w) { return later[w->id]; }))
        edge = source;
    }
    if (!IsRef(edge.from->types[edge.output])) return edge;
    StepNode* variable = edge.from->variable;
    std::vector<StepNode*> before = writes_[variable];
    if (edge.from != variable) before.push_back(edge.from);
    return Read(edge, std::move(before), fetched->node, fetched->key);
  }

  // A read of the edge's variable after `before`; one for all who want the same.
  StepEdge Read(const StepEdge& edge, std::vector<StepNode*> before, const Node* reader, int key) {
    StepNode* variable = edge.from->variable;
    std::sort(before.begin(), before.end(), [](StepNode* a, StepNode* b) { return a->id < b->id; });
    before.erase(std::unique(before.begin(), before.end()), before.end());
    StepNode*& read = reads_[std::pair(variable, before)];
    if (read == nullptr) {
      read = step_.Add(StepKind::kRead, variable->node, variable->device);
      read->key = key;
      read->reader = reader;
      read->inputs = {StepEdge{variable, 0}};
      read->controls = std::move(before);
      read->types = {RemoveRef(edge.from->types[edge.output])};
      read->shapes = {variable->shapes[0]};
    }
    return {read, 0};
  }

  StepGraph& step_;
  Ancestry ancestry_;
  std::vector<StepNode*> waits_;
  std::map<StepNode*, std::vector<StepNode*>> writes_;
  std::map<std::pair<StepNode*, std::vector<StepNode*>>, StepNode*> reads_;
};

// Variables behind handles have ops that read already; one that no path puts after a write of the
// step comes before it, unless other such orders are against that. A variable's initialiser is the
// exception: what it gives is read, as there may be nothing to read before.
class HandleOrder {
 public:
  explicit HandleOrder(StepGraph& step) : step_(step), successors_(step) {}

  void Run() {
    std::map<int, std::vector<StepNode*>> readers, writers;  // by the node that gave the handle
    for (StepNode* node : step_.nodes()) {
      if (node->kind != StepKind::kKernel) continue;
      const std::vector<int>& written = node->node->op().written_variables();
      for (size_t i = 0; i < node->inputs.size(); ++i) {
        if (node->input_type(static_cast<int>(i)) != DType::kResource) continue;
        StepNode* source = node->inputs[i].from;
        const bool writes = std::ranges::find(written, static_cast<int>(i)) != written.end();
        (writes ? writers : readers)[source->id].push_back(node);
      }
    }
    for (const auto& [source, writes] : writers) {
      const auto found = readers.find(source);
      if (found == readers.end()) continue;
      for (StepNode* write : writes) {
        if (IsInitializer(*write)) PutBefore(*write, found->second);
      }
    }
    for (const auto& [source, writes] : writers) {
      const auto found = readers.find(source);
      if (found == readers.end()) continue;
      for (StepNode* write : writes) {
        // Orders that are added below end at `write`, so that what it reaches stays the same.
        const std::vector<bool> reached = ReachedFrom(write);
        for (StepNode* read : found->second) {
          if (reached[read->id]) continue;
          AddControl(*write, *read);
          added_[read].push_back(write);
        }
      }
    }
  }

 private:
  // "w/Assign" of the handle "w".
  static bool IsInitializer(const StepNode& write) {
    return write.node->op_name() == "AssignVariableOp" &&
           write.node->name() == StrCat(write.inputs[0].from->node->name(), "/Assign");
  }

  void PutBefore(StepNode& write, const std::vector<StepNode*>& reads) {
    for (StepNode* read : reads) {
      if (read->node->op_name() == "VarIsInitializedOp" || ReachedFrom(read)[write.id]) continue;
      AddControl(*read, write);
      added_[&write].push_back(read);
    }
  }

  // By id: the node itself and all that comes after it, by the orders added so far too.
  std::vector<bool> ReachedFrom(StepNode* node) const {
    std::vector<bool> reached(step_.nodes().size(), false);
    std::vector<StepNode*> pending;
    const auto visit = [&](StepNode* next) {
      if (reached[next->id]) return;
      reached[next->id] = true;
      pending.push_back(next);
    };
    visit(node);
    while (!pending.empty()) {
      StepNode* from = pending.back();
      pending.pop_back();
      for (StepNode* next : successors_.of(*from)) visit(next);
      const auto more = added_.find(from);
      if (more == added_.end()) continue;
      for (StepNode* next : more->second) visit(next);
    }
    return reached;
  }

  StepGraph& step_;
  SuccessorIndex successors_;
  std::map<StepNode*, std::vector<StepNode*>> added_;
};

// Inside how many conditions and loops each node is, by id.
std::vector<int> FlowDepths(const StepGraph& step) {
  std::vector<int> depths(step.nodes().size(), 0);
  for (const StepNode* node : step.nodes()) {
    int depth = 0;
    bool is_loop = false;
    const auto after = [&](const StepNode* from) {
      if (from->id < node->id) depth = std::max(depth, depths[from->id]);
    };
    for (const StepEdge& input : node->inputs) {
      after(input.from);
      is_loop |= input.from->kind == StepKind::kKernel &&
                 TraitOf(input.from->node->op_name()) == OpTrait::kNextIteration;
    }
    for (const StepNode* control : node->controls) after(control);
    switch (node->kind == StepKind::kKernel ? TraitOf(node->node->op_name()) : OpTrait::kNone) {
      case OpTrait::kSwitch:
      case OpTrait::kEnter:
        ++depth;
        break;
      case OpTrait::kMerge:
        if (!is_loop) --depth;
        break;
      case OpTrait::kExit:
        depth -= 2;  // the loop and the condition of its Switch
        break;
      default:
        break;
    }
    depths[node->id] = std::max(depth, 0);
  }
  return depths;
}

// Fetches of variables in a graph with control flow: after all writes that every step does.
void FetchAtEnd(StepGraph& step) {
  if (std::ranges::none_of(step.fetches(), [](const StepEdge& fetch) {
        return IsRef(fetch.from->types[fetch.output]);
      })) {
    return;
  }
  const std::vector<int> depths = FlowDepths(step);
  std::map<const StepNode*, std::vector<StepNode*>> writes;
  for (StepNode* node : step.nodes()) {
    if (node->kind != StepKind::kKernel || depths[node->id] > 0) continue;
    for (int input : node->node->op().written_variables())
      writes[node->inputs[input].from->variable].push_back(node);
  }
  for (StepEdge& fetch : step.fetches()) {
    const StepNode* variable = fetch.from->variable;
    if (!IsRef(fetch.from->types[fetch.output]) || depths[fetch.from->id] > 0) continue;
    const auto found = writes.find(variable);
    if (variable == nullptr || found == writes.end()) continue;
    StepNode* read = step.Add(StepKind::kRead, fetch.from->node, fetch.from->device);
    read->key = fetch.from->key;
    read->reader = fetch.from->node;
    read->inputs = {fetch};
    read->controls = found->second;
    read->types = {RemoveRef(fetch.from->types[fetch.output])};
    read->shapes = {fetch.from->shapes[fetch.output]};
    fetch = {read, 0};
  }
}

}  // namespace

Status MakeReadsExplicit(StepGraph& step) {
  FindVariables(step);
  TakeWrittenValues(step);
  FetchAtEnd(step);
  const std::vector<StepNode*> nodes = step.nodes();
  for (StepNode* node : nodes) {
    const OpTrait trait =
        node->kind == StepKind::kKernel ? TraitOf(node->node->op_name()) : OpTrait::kNone;
    if (IsControlFlow(trait)) continue;  // passes on what comes, variable or value
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const StepEdge edge = node->inputs[i];
      if (node->takes_ref(static_cast<int>(i)) || !IsRef(edge.from->types[edge.output])) continue;
      StepNode* read = step.Add(StepKind::kRead, edge.from->node, edge.from->device);
      read->key = node->key;
      read->reader = node->node;
      read->inputs = {edge};
      read->controls = node->controls;
      read->types = {RemoveRef(edge.from->types[edge.output])};
      read->shapes = {edge.from->shapes[edge.output]};
      node->inputs[i] = {read, 0};
    }
  }
  return step.Compact();
}

Status ResolveVariableReads(StepGraph& step) {
  HandleOrder(step).Run();
  FindVariables(step);
  TakeWrittenValues(step);
  ReadResolver(step).Run();
  return step.Compact();
}

}  // namespace headrace
