#include "headrace/runtime/internal/flow_state.h"

#include <algorithm>

namespace headrace {
namespace {

FlowValue Dead() {
  FlowValue value;
  value.dead = true;
  return value;
}

}  // namespace

FlowState::FlowState(const FlowGraph& graph) : graph_(graph) {
  root_.frame = &graph.frames()[0];
}

void FlowState::Start(std::vector<FlowTask>& ready) {
  FlowIteration& iteration = *AddIteration(root_, ready);
  for (FlowNode* node : root_.frame->nodes) {
    FlowIteration::NodeState& state = iteration.nodes[node->index];
    if (node->num_inputs() > 0 || state.pending > 0 || state.started) continue;
    state.started = true;
    ++iteration.outstanding;
    ready.push_back({.node = node, .frame = &root_, .iteration = &iteration});
  }
}

void FlowState::Finish(const FlowTask& task, const std::vector<FlowValue>& outputs,
                       std::vector<FlowTask>& ready) {
  const FlowValue value = task.dead ? Dead() : outputs.empty() ? FlowValue() : outputs[0];
  switch (task.node->trait) {
    case OpTrait::kEnter:
      Enter(task, value, ready);
      break;
    case OpTrait::kNextIteration:
      if (!value.dead) NextIteration(task, value, ready);
      break;
    case OpTrait::kExit:
      Exit(task, value, ready);
      break;
    default:
      DeliverAll(*task.frame, *task.iteration, *task.node, outputs, task.dead, ready);
  }
  --task.iteration->outstanding;
  Settle(*task.frame, ready);
}

FlowIteration* FlowState::AddIteration(FlowFrameRun& frame, std::vector<FlowTask>& ready) {
  auto made = std::make_unique<FlowIteration>();
  made->number = frame.first_iteration + static_cast<int>(frame.iterations.size());
  made->inputs.resize(frame.frame->num_inputs);
  made->nodes.resize(frame.frame->nodes.size());
  for (const FlowNode* node : frame.frame->nodes) {
    made->nodes[node->index].pending =
        node->num_controls + (node->trait == OpTrait::kMerge ? 0 : node->num_inputs());
  }
  frame.iterations.push_back(std::move(made));
  FlowIteration& iteration = *frame.iterations.back();
  for (auto& [enter, value] : frame.constants)
    DeliverAll(frame, iteration, *enter, {value}, false, ready);
  return &iteration;
}

void FlowState::DeliverAll(FlowFrameRun& frame, FlowIteration& iteration, const FlowNode& from,
                           const std::vector<FlowValue>& outputs, bool dead,
                           std::vector<FlowTask>& ready) {
  const FlowValue live, none = Dead();
  for (const FlowEdge& edge : from.out) {
    const FlowValue& value = dead ? none : edge.output < 0 ? live : outputs[edge.output];
    Deliver(frame, iteration, from, edge, value, ready);
  }
}

void FlowState::Deliver(FlowFrameRun& frame, FlowIteration& iteration, const FlowNode& from,
                        const FlowEdge& edge, const FlowValue& value,
                        std::vector<FlowTask>& ready) {
  const FlowNode& to = *edge.to;
  FlowIteration::NodeState& state = iteration.nodes[to.index];
  FlowTask task{.node = &to, .frame = &frame, .iteration = &iteration};
  bool is_ready = false;
  if (edge.input >= 0 && !value.dead) iteration.inputs[to.first_input + edge.input] = value;
  if (to.trait == OpTrait::kMerge) {
    if (edge.input < 0) {
      --state.pending;
    } else if (value.dead) {
      // A loop that is not entered has no second input to wait for.
      state.dead_inputs = from.trait == OpTrait::kEnter ? to.num_inputs() : state.dead_inputs + 1;
    } else if (state.live_input < 0) {
      state.live_input = edge.input;
    }
    task.live_input = state.live_input;
    task.dead = state.live_input < 0;
    is_ready =
        state.pending == 0 && (state.live_input >= 0 || state.dead_inputs >= to.num_inputs());
  } else {
    state.any_dead |= value.dead;
    task.dead = state.any_dead && to.trait != OpTrait::kControlTrigger;
    is_ready = --state.pending == 0;
  }
  if (!is_ready || state.started) return;
  state.started = true;
  ++iteration.outstanding;
  ready.push_back(task);
}

FlowFrameRun& FlowState::FrameEntered(const FlowTask& task) {
  std::unique_ptr<FlowFrameRun>& entry =
      frames_[{task.frame, task.iteration->number, task.node->enters}];
  if (entry == nullptr) {
    entry = std::make_unique<FlowFrameRun>();
    entry->id = task.node->enters;
    entry->frame = &graph_.frames()[entry->id];
    entry->parent = task.frame;
    entry->parent_iteration = task.iteration->number;
    entry->pending_enters = entry->frame->num_enters;
    ++task.iteration->outstanding;
    std::vector<FlowTask> none;
    AddIteration(*entry, none);
  }
  return *entry;
}

void FlowState::Enter(const FlowTask& task, const FlowValue& value, std::vector<FlowTask>& ready) {
  FlowFrameRun& frame = FrameEntered(task);
  --frame.pending_enters;
  if (task.node->is_constant && !value.dead) {
    frame.constants.emplace_back(task.node, value);
    for (size_t i = 0; i < frame.iterations.size(); ++i) {
      DeliverAll(frame, *frame.iterations[i], *task.node, {value}, false, ready);
    }
  } else {
    DeliverAll(frame, *frame.iterations.front(), *task.node, {value}, value.dead, ready);
  }
  Settle(frame, ready);
}

void FlowState::NextIteration(const FlowTask& task, const FlowValue& value,
                              std::vector<FlowTask>& ready) {
  FlowFrameRun& frame = *task.frame;
  const size_t next = static_cast<size_t>(task.iteration->number + 1 - frame.first_iteration);
  if (next == frame.iterations.size()) {
    if (static_cast<int>(frame.iterations.size()) >= frame.frame->parallel_iterations) {
      frame.waiting.emplace_back(task.node, value);
      return;
    }
    AddIteration(frame, ready);
  }
  DeliverAll(frame, *frame.iterations[next], *task.node, {value}, false, ready);
}

void FlowState::Exit(const FlowTask& task, const FlowValue& value, std::vector<FlowTask>& ready) {
  FlowFrameRun& frame = *task.frame;
  frame.exits[task.node] |= !value.dead;
  if (value.dead) return;  // only that of the last iteration counts: see Settle
  DeliverAll(*frame.parent, IterationOf(*frame.parent, frame.parent_iteration), *task.node, {value},
             false, ready);
}

// Drops iterations that are over, starts those that waited for room, and ends loops.
void FlowState::Settle(FlowFrameRun& frame, std::vector<FlowTask>& ready) {
  while (!frame.iterations.empty() && frame.iterations.front()->outstanding == 0 &&
         frame.pending_enters == 0) {
    if (&frame == &root_) return;
    if (frame.iterations.size() == 1 && frame.waiting.empty()) {
      // Nothing can come any more.
      FlowFrameRun& parent = *frame.parent;
      FlowIteration& outer = IterationOf(parent, frame.parent_iteration);
      for (const auto& [exit, alive] : frame.exits) {
        if (!alive) DeliverAll(parent, outer, *exit, {}, true, ready);
      }
      --outer.outstanding;
      frames_.erase({&parent, frame.parent_iteration, frame.id});  // `frame` is gone
      Settle(parent, ready);
      return;
    }
    // The next iteration is there before this one goes, so that numbers go on.
    std::vector<std::pair<const FlowNode*, FlowValue>> waiting;
    waiting.swap(frame.waiting);
    if (!waiting.empty()) {
      FlowIteration& next = *AddIteration(frame, ready);
      for (auto& [node, value] : waiting) DeliverAll(frame, next, *node, {value}, false, ready);
    }
    frame.iterations.pop_front();
    ++frame.first_iteration;
  }
}

}  // namespace headrace
