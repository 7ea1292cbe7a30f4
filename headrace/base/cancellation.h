// One token for a call that may block: cancelled by a person (Ctrl-C), by the first error of a step, by
// Close, or by its deadline. Every blocking wait takes part.
//
//   Cancellation step(deadline);
//   auto id = step.OnCancel([&] { queue.WakeAll(); });   // empty if it is cancelled already
//   ...
//   step.Remove(id);
//
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "headrace/base/status.h"

namespace headrace {

class Cancellation {
 public:
  using Clock = std::chrono::steady_clock;
  using Callback = std::function<void()>;

  explicit Cancellation(std::optional<Clock::time_point> deadline = std::nullopt) : deadline_(deadline) {}
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // The first reason stays; callbacks run once, on the caller's thread. `reason` must not be OK.
  void Cancel(Status reason);
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  // OK, or why it was cancelled (DeadlineExceeded once the deadline has passed).
  Status status() const;
  std::optional<Clock::time_point> deadline() const { return deadline_; }

  // Registers a callback; nothing (and no call) if it is cancelled already.
  std::optional<int64_t> OnCancel(Callback callback);
  // After return the callback neither runs nor will run. REQUIRES: not called from a callback.
  void Remove(std::optional<int64_t> id);

  // Waits on `condition` until `ready()` or cancellation or the deadline. `lock` is held on entry and return.
  // OK if ready; else status(). A canceller must notify `condition`: register with OnCancel.
  template <class Ready>
  Status Wait(std::unique_lock<std::mutex>& lock, std::condition_variable& condition, Ready ready) {
    while (!ready()) {
      if (cancelled()) return status();
      if (deadline_) {
        if (condition.wait_until(lock, *deadline_) == std::cv_status::timeout && !ready()) return status();
      } else {
        condition.wait(lock);
      }
    }
    return absl::OkStatus();
  }

 private:
  const std::optional<Clock::time_point> deadline_;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::condition_variable idle_;
  bool running_callbacks_ = false;
  Status reason_;
  int64_t next_id_ = 0;
  std::map<int64_t, Callback> callbacks_;
};

}  // namespace headrace
