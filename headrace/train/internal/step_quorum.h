// Whose gradients make a step, when a synchronous step does not wait for all replicas.
//
//   StepQuorum quorum({.replicas = 3, .needed = 2, .steps = 1000});
//   // on the thread of replica r, while Join says that there is a step:
//   HR_ASSIGN_OR_RETURN(bool joined, quorum.Join(r, cancel));
//   HR_ASSIGN_OR_RETURN(bool in_time, quorum.Read(r, [&] { return TakeSnapshot(); }));
//   ... compute the gradient from the snapshot, leave it where `update` finds it ...
//   HR_ASSIGN_OR_RETURN(GradientFate fate, quorum.Deliver(r, [&](const StepMembers& step) {
//     return Update(step.contributors);
//   }));
//
// One step is open at a time. The `needed`-th gradient that is delivered closes it, and its thread
// runs the update; whoever joined the step and has not delivered by then is dropped from it. A
// replica that delivered waits in Join for the next step, so a step has at most one gradient of
// each; one that was dropped joins the step that is open when it comes back. So a gradient is
// applied to the weights that it was computed from, or never. Nobody ever waits for a late one.
//
// Thread-safe. Callbacks run on the caller's thread, updates outside of the lock: they may cancel.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "headrace/base/cancellation.h"
#include "headrace/base/status.h"

namespace headrace::train {

// The replicas of a closed step, each list in ascending order.
struct StepMembers {
  std::vector<int> contributors;
  std::vector<int> dropped;
};

enum class GradientFate { kTaken, kDropped };

struct StepQuorumOptions {
  int replicas = 0;
  int needed = 0;  // 1 to `replicas`
  int64_t steps = 0;
};

class StepQuorum {
 public:
  explicit StepQuorum(StepQuorumOptions options);

  // Waits until a step is open to which the replica has not delivered, and takes part in it. False
  // once all steps are done. Errors: the cancellation's; that of an update, which ends all.
  StatusOr<bool> Join(int replica, Cancellation& cancellation);
  // Runs `snapshot`, under the lock, if the step that the replica joined is open still: no update
  // has begun. Else false: the replica was dropped from it. Errors: those of `snapshot`.
  StatusOr<bool> Read(int replica, const std::function<Status()>& snapshot);
  // The replica's gradient is there. If it is the last that the step needs, runs `update`, alone.
  // kDropped: the step closed before. Errors: those of `update`; the step is then not counted.
  StatusOr<GradientFate> Deliver(int replica,
                                 const std::function<Status(const StepMembers&)>& update);

  bool done() const;
  // Steps with a gradient of the replica, and steps that it joined and that went on without it.
  int64_t contributed(int replica) const;
  int64_t dropped(int replica) const;

 private:
  enum class State { kAway, kJoined, kDelivered, kDropped };
  struct Replica {
    State state = State::kAway;
    int64_t contributed = 0;
    int64_t dropped = 0;
  };
  StepMembers CloseStep();
  void CountStep(const StepMembers& members);

  const StepQuorumOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Replica> replicas_;
  int delivered_ = 0;      // to the open step
  bool updating_ = false;  // the step is closed, the next one not open yet
  int64_t steps_done_ = 0;
  Status failed_;
};

}  // namespace headrace::train
