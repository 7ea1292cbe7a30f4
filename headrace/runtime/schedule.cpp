// Schedule: the order in which a plan runs a step.
#include <queue>

#include "headrace/base/strings.h"
#include "headrace/runtime/internal/waits.h"
#include "headrace/runtime/rewrite.h"
#include "headrace/runtime/special_ops.h"

namespace headrace {
namespace {

class Scheduler {
 public:
  explicit Scheduler(StepGraph& step)
      : step_(step),
        successors_(step),
        early_(NodesBeforeWaits(step)),
        waiting_(step.nodes().size(), 0),
        readers_(step.nodes().size(), 0),
        updates_after_(step.nodes().size()) {}

  std::vector<StepNode*> Run() {
    Count();
    for (StepNode* node : step_.nodes()) {
      if (waiting_[node->id] == 0) MakeReady(node);
    }
    std::vector<StepNode*> order;
    order.reserve(step_.nodes().size());
    while (!ready_.empty() || !reluctant_.empty()) {
      StepNode* node = Next();
      if (node == nullptr) continue;
      done_[node->id] = true;
      order.push_back(node);
      for (StepNode* next : successors_.of(*node)) {
        if (--waiting_[next->id] == 0) MakeReady(next);
      }
      for (StepNode* update : updates_after_[node->id]) {
        if (--readers_[update->id] == 0 && waiting_[update->id] == 0) ready_.push(Entry{0, update});
      }
    }
    return order;
  }

 private:
  struct Entry {
    int rank;  // 0: an update that frees what it consumes; -1: what the step waits for
    StepNode* node;
    bool operator<(const Entry& b) const {  // for a heap with the first to run on top
      if (rank != b.rank) return rank > b.rank;
      return node->key != b.node->key ? node->key > b.node->key : node->id > b.node->id;
    }
  };

  static bool IsUpdate(const StepNode& node) {
    return node.kind == StepKind::kKernel && !node.node->op().written_variables().empty();
  }

  static bool IsRead(const StepNode& node) {
    return node.kind == StepKind::kRead ||
           (node.kind == StepKind::kKernel &&
            TraitOf(node.node->op_name()) == OpTrait::kVariableRead);
  }

  void Count() {
    done_.assign(step_.nodes().size(), false);
    for (StepNode* node : step_.nodes()) {
      for (StepNode* next : successors_.of(*node)) ++waiting_[next->id];
    }
    // An update is in place when whoever holds the value that was read before it is done.
    for (StepNode* update : step_.nodes()) {
      if (!IsUpdate(*update)) continue;
      for (StepNode* read : update->controls) {
        if (!IsRead(*read)) continue;
        for (StepNode* reader : successors_.of(*read)) {
          if (reader == update || IsUpdate(*reader)) continue;
          updates_after_[reader->id].push_back(update);
          ++readers_[update->id];
        }
      }
    }
  }

  void MakeReady(StepNode* node) {
    if (early_[node->id]) {
      ready_.push(Entry{-1, node});
    } else if (!IsUpdate(*node)) {
      ready_.push(Entry{1, node});
    } else if (readers_[node->id] == 0) {
      ready_.push(Entry{0, node});
    } else {
      reluctant_.push(Entry{0, node});
    }
  }

  // An update whose readers are not done runs only when nothing else can: it then copies the
  // variable first.
  StepNode* Next() {
    auto& queue = ready_.empty() ? reluctant_ : ready_;
    StepNode* node = queue.top().node;
    queue.pop();
    return done_[node->id] ? nullptr : node;
  }

  StepGraph& step_;
  SuccessorIndex successors_;
  const std::vector<bool> early_;
  std::vector<int> waiting_, readers_;
  std::vector<std::vector<StepNode*>> updates_after_;
  std::vector<bool> done_;
  std::priority_queue<Entry> ready_, reluctant_;
};

}  // namespace

Status Schedule(StepGraph& step) {
  HR_RETURN_IF_ERROR(step.Compact());
  std::vector<StepNode*> order = Scheduler(step).Run();
  if (order.size() != step.nodes().size()) return Internal("the order of a step lost nodes");
  step.SetOrder(std::move(order));
  return absl::OkStatus();
}

}  // namespace headrace
