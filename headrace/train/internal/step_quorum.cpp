#include "headrace/train/internal/step_quorum.h"

namespace headrace::train {

StepQuorum::StepQuorum(StepQuorumOptions options)
    : options_(options), replicas_(options.replicas) {}

StatusOr<bool> StepQuorum::Join(int replica, Cancellation& cancellation) {
  const auto wake = cancellation.OnCancel([this] {
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
  StatusOr<bool> joined = false;
  {
    std::unique_lock lock(mutex_);
    Replica& self = replicas_[replica];
    Status status = cancellation.Wait(lock, changed_, [&] {
      return !failed_.ok() || (!updating_ && self.state != State::kDelivered);
    });
    if (steps_done_ < options_.steps) {
      if (status.ok()) status = failed_;
      if (status.ok()) status = cancellation.status();  // also where there was nothing to wait for
      if (status.ok()) self.state = State::kJoined;
      joined = status.ok() ? StatusOr<bool>(true) : status;
    }
  }
  cancellation.Remove(wake);
  return joined;
}

StatusOr<bool> StepQuorum::Read(int replica, const std::function<Status()>& snapshot) {
  std::lock_guard lock(mutex_);
  if (replicas_[replica].state != State::kJoined) return false;
  HR_RETURN_IF_ERROR(snapshot());
  return true;
}

StatusOr<GradientFate> StepQuorum::Deliver(
    int replica, const std::function<Status(const StepMembers&)>& update) {
  std::unique_lock lock(mutex_);
  if (replicas_[replica].state != State::kJoined) return GradientFate::kDropped;
  replicas_[replica].state = State::kDelivered;
  if (++delivered_ < options_.needed) return GradientFate::kTaken;

  const StepMembers members = CloseStep();
  lock.unlock();
  const Status status = update(members);
  lock.lock();
  updating_ = false;
  if (status.ok()) {
    CountStep(members);
  } else {
    failed_ = status;
  }
  changed_.notify_all();
  if (!status.ok()) return status;
  return GradientFate::kTaken;
}

StepMembers StepQuorum::CloseStep() {
  StepMembers members;
  for (int r = 0; r < options_.replicas; ++r) {
    State& state = replicas_[r].state;
    if (state == State::kDelivered) members.contributors.push_back(r);
    if (state != State::kJoined) continue;
    members.dropped.push_back(r);
    state = State::kDropped;
  }
  updating_ = true;
  delivered_ = 0;
  return members;
}

void StepQuorum::CountStep(const StepMembers& members) {
  ++steps_done_;
  for (const int r : members.contributors) {
    replicas_[r].state = State::kAway;
    ++replicas_[r].contributed;
  }
  for (const int r : members.dropped) ++replicas_[r].dropped;
}

bool StepQuorum::done() const {
  std::lock_guard lock(mutex_);
  return steps_done_ == options_.steps;
}

int64_t StepQuorum::contributed(int replica) const {
  std::lock_guard lock(mutex_);
  return replicas_[replica].contributed;
}

int64_t StepQuorum::dropped(int replica) const {
  std::lock_guard lock(mutex_);
  return replicas_[replica].dropped;
}

}  // namespace headrace::train
