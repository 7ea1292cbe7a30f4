// Who may read the weights and who may update them, when replicas train asynchronously: counts how stale every
// applied gradient is, and keeps two optional bounds.
//
//   UpdateClock clock(4, {.max_staleness = 3});
//   // on the thread of replica r, for each of its steps:
//   HR_RETURN_IF_ERROR(clock.Read(r, cancel, [&] { return TakeSnapshot(); }));
//   ... compute the gradient from the snapshot ...
//   HR_RETURN_IF_ERROR(clock.Apply(r, cancel, [&](int64_t staleness) { return Update(); }));
//
// Staleness of a gradient = updates by others between the read of the weights and its own application.
// Reads and updates exclude each other, so a snapshot never mixes two states of the model.
//
// max_staleness K: no applied gradient has staleness above K. An update that would carry a gradient in flight
// beyond K waits until that one is applied; a read waits while one more gradient in flight could not be placed
// (0 = one at a time). There is always a replica that may go on: the one whose gradient is oldest.
// max_lead K (stale-synchronous parallel; Ho et al., 2013): a replica begins a step only if it has done at most K
// steps more than the slowest replica that still trains.
// Without bounds nobody ever waits for another's computation.
//
// Thread-safe. Snapshots are taken under the lock; updates are not: they may cancel and ask for counts.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "headrace/base/cancellation.h"
#include "headrace/base/status.h"

namespace headrace {

struct UpdateBounds {
  std::optional<int64_t> max_staleness;  // >= 0
  std::optional<int64_t> max_lead;       // >= 0
};

// How many gradients were applied with each staleness.
struct StalenessHistogram {
  std::map<int64_t, int64_t> counts;  // staleness -> gradients
  int64_t total() const;
  int64_t max() const;     // 0 when empty
  int64_t median() const;  // lower median; 0 when empty
  void Add(const StalenessHistogram& other);
};

class UpdateClock {
 public:
  UpdateClock(int replicas, UpdateBounds bounds);

  // Runs `snapshot` while no update runs, and counts the replica's gradient as in flight from then on. An error
  // of `snapshot` or the cancellation's status leaves nothing in flight.
  // REQUIRES: the replica has nothing in flight.
  Status Read(int replica, Cancellation& cancellation, const std::function<Status()>& snapshot);
  // Runs `update` alone, with the staleness it has; afterwards the gradient is no longer in flight (after an
  // error neither, and nothing is counted).
  Status Apply(int replica, Cancellation& cancellation, const std::function<Status(int64_t staleness)>& update);
  // The replica takes no further part: others no longer wait for it. Drops what it has in flight.
  void Leave(int replica);

  int64_t updates() const;
  StalenessHistogram histogram(int replica) const;
  StalenessHistogram histogram() const;  // over all replicas
  int64_t steps_done(int replica) const;

 private:
  struct Replica {
    bool active = true;
    bool in_flight = false;
    int64_t overtaken = 0;  // updates by others since its read
    int64_t steps = 0;
    StalenessHistogram histogram;
  };
  bool MayRead(int replica) const;
  bool MayApply(int replica) const;
  // Can gradients overtaken that often be applied one after the other within the bound?
  bool Schedulable(std::vector<int64_t> overtaken) const;

  const UpdateBounds bounds_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Replica> replicas_;
  bool updating_ = false;
  int64_t updates_ = 0;
};

}  // namespace headrace
