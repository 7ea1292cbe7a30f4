// A flag that one thread raises and others wait for: a value or an order crossed from one device's
// program to another's. Spins for a moment, then sleeps; raising it costs a system call only when
// somebody sleeps.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace headrace {

class Signal {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Outcome { kRaised, kAborted, kTimedOut };

  // REQUIRES: nobody waits.
  void Reset() { state_.store(kIdle, std::memory_order_relaxed); }
  void Raise() { Finish(kRaisedState); }
  // Waiters give up; a signal that was raised stays so.
  void Abort();
  Outcome Wait(std::optional<Clock::time_point> deadline = std::nullopt);

 private:
  static constexpr uint32_t kIdle = 0, kSleeping = 1, kRaisedState = 2, kAbortedState = 3;
  void Finish(uint32_t state);

  std::atomic<uint32_t> state_{kIdle};
};

}  // namespace headrace
