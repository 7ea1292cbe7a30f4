#include "headrace/kernel/rendezvous.h"

#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace headrace {
namespace {

class LocalRendezvous final : public Rendezvous {
 public:
  ~LocalRendezvous() override { Abort(absl::CancelledError("the step is over")); }

  Status Send(std::string_view key, Value value) override {
    Done waiter;
    {
      std::lock_guard lock(mutex_);
      if (!aborted_.ok()) return aborted_;
      auto it = meetings_.try_emplace(std::string(key)).first;
      if (it->second.waiters.empty()) {
        it->second.values.push_back(std::move(value));
        return absl::OkStatus();
      }
      waiter = std::move(it->second.waiters.front());
      it->second.waiters.pop_front();
      if (it->second.waiters.empty()) meetings_.erase(it);
    }
    waiter(std::move(value));
    return absl::OkStatus();
  }

  void RecvAsync(std::string_view key, Done done) override {
    std::unique_lock lock(mutex_);
    if (!aborted_.ok()) {
      const Status reason = aborted_;
      lock.unlock();
      done(reason);
      return;
    }
    auto it = meetings_.try_emplace(std::string(key)).first;
    if (it->second.values.empty()) {
      it->second.waiters.push_back(std::move(done));
      return;
    }
    Value value = std::move(it->second.values.front());
    it->second.values.pop_front();
    if (it->second.values.empty()) meetings_.erase(it);
    lock.unlock();
    done(std::move(value));
  }

  void Abort(Status reason) override {
    std::map<std::string, Meeting, std::less<>> meetings;  // values go after the lock is released
    {
      std::lock_guard lock(mutex_);
      if (!aborted_.ok()) return;
      aborted_ = reason.ok() ? absl::CancelledError("aborted") : std::move(reason);
      meetings.swap(meetings_);
    }
    for (auto& [key, meeting] : meetings) {
      for (Done& waiter : meeting.waiters) waiter(aborted_);
    }
  }

 private:
  struct Meeting {  // one of the two is empty
    std::deque<Value> values;
    std::deque<Done> waiters;
  };

  std::mutex mutex_;
  std::map<std::string, Meeting, std::less<>> meetings_;
  Status aborted_;  // set once
};

}  // namespace

std::unique_ptr<Rendezvous> MakeLocalRendezvous() {
  return std::make_unique<LocalRendezvous>();
}

}  // namespace headrace
