#include "headrace/train/update_clock.h"

#include <algorithm>

namespace headrace {

int64_t StalenessHistogram::total() const {
  int64_t sum = 0;
  for (const auto& [staleness, count] : counts) sum += count;
  return sum;
}

int64_t StalenessHistogram::max() const { return counts.empty() ? 0 : counts.rbegin()->first; }

int64_t StalenessHistogram::median() const {
  const int64_t middle = (total() + 1) / 2;
  int64_t seen = 0;
  for (const auto& [staleness, count] : counts) {
    seen += count;
    if (seen >= middle) return staleness;
  }
  return 0;
}

void StalenessHistogram::Add(const StalenessHistogram& other) {
  for (const auto& [staleness, count] : other.counts) counts[staleness] += count;
}

UpdateClock::UpdateClock(int replicas, UpdateBounds bounds) : bounds_(bounds), replicas_(replicas) {}

Status UpdateClock::Read(int replica, Cancellation& cancellation, const std::function<Status()>& snapshot) {
  const auto wake = cancellation.OnCancel([this] {
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
  Status status;
  {
    std::unique_lock lock(mutex_);
    status = cancellation.Wait(lock, changed_, [&] { return !updating_ && MayRead(replica); });
    if (status.ok()) status = cancellation.status();  // also where there was nothing to wait for
    if (status.ok()) status = snapshot();
    if (status.ok()) {
      replicas_[replica].in_flight = true;
      replicas_[replica].overtaken = 0;
    }
  }
  cancellation.Remove(wake);
  return status;
}

Status UpdateClock::Apply(int replica, Cancellation& cancellation,
                          const std::function<Status(int64_t staleness)>& update) {
  const auto wake = cancellation.OnCancel([this] {
    std::lock_guard lock(mutex_);
    changed_.notify_all();
  });
  Status status;
  {
    std::unique_lock lock(mutex_);
    status = cancellation.Wait(lock, changed_, [&] { return !updating_ && MayApply(replica); });
    if (status.ok()) status = cancellation.status();
    Replica& self = replicas_[replica];
    if (status.ok()) {
      updating_ = true;
      const int64_t staleness = self.overtaken;
      lock.unlock();  // `update` may cancel, which takes the lock
      status = update(staleness);
      lock.lock();
      updating_ = false;
    }
    self.in_flight = false;
    if (status.ok()) {
      ++self.histogram.counts[self.overtaken];
      ++self.steps;
      ++updates_;
      for (Replica& other : replicas_) {
        if (&other != &self && other.in_flight) ++other.overtaken;
      }
    }
    changed_.notify_all();
  }
  cancellation.Remove(wake);
  return status;
}

void UpdateClock::Leave(int replica) {
  std::lock_guard lock(mutex_);
  replicas_[replica].active = false;
  replicas_[replica].in_flight = false;
  changed_.notify_all();
}

int64_t UpdateClock::updates() const {
  std::lock_guard lock(mutex_);
  return updates_;
}

StalenessHistogram UpdateClock::histogram(int replica) const {
  std::lock_guard lock(mutex_);
  return replicas_[replica].histogram;
}

StalenessHistogram UpdateClock::histogram() const {
  std::lock_guard lock(mutex_);
  StalenessHistogram all;
  for (const Replica& replica : replicas_) all.Add(replica.histogram);
  return all;
}

int64_t UpdateClock::steps_done(int replica) const {
  std::lock_guard lock(mutex_);
  return replicas_[replica].steps;
}

bool UpdateClock::MayRead(int replica) const {
  if (bounds_.max_lead) {
    for (const Replica& other : replicas_) {
      if (other.active && replicas_[replica].steps - other.steps > *bounds_.max_lead) return false;
    }
  }
  if (!bounds_.max_staleness) return true;
  std::vector<int64_t> overtaken = {0};
  for (const Replica& other : replicas_) {
    if (other.in_flight) overtaken.push_back(other.overtaken);
  }
  return Schedulable(std::move(overtaken));
}

bool UpdateClock::MayApply(int replica) const {
  if (!bounds_.max_staleness) return true;
  std::vector<int64_t> overtaken;
  for (const Replica& other : replicas_) {
    if (other.in_flight && &other != &replicas_[replica]) overtaken.push_back(other.overtaken + 1);
  }
  return Schedulable(std::move(overtaken));
}

bool UpdateClock::Schedulable(std::vector<int64_t> overtaken) const {
  // Oldest first is the best order: the i-th to go is overtaken i more times before its turn.
  std::ranges::sort(overtaken, std::greater<>());
  for (size_t i = 0; i < overtaken.size(); ++i) {
    if (overtaken[i] + static_cast<int64_t>(i) > *bounds_.max_staleness) return false;
  }
  return true;
}

}  // namespace headrace
