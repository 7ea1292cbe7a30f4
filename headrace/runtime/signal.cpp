#include "headrace/runtime/internal/signal.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace headrace {
namespace {

constexpr auto kSpin = std::chrono::microseconds(20);

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

void SleepWhile(std::atomic<uint32_t>& word, uint32_t value,
                std::optional<Signal::Clock::time_point> deadline) {
  timespec timeout{};
  if (deadline) {
    const auto left =
        std::chrono::duration_cast<std::chrono::nanoseconds>(*deadline - Signal::Clock::now())
            .count();
    if (left <= 0) return;
    timeout.tv_sec = static_cast<time_t>(left / 1'000'000'000);
    timeout.tv_nsec = static_cast<long>(left % 1'000'000'000);
  }
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, deadline ? &timeout : nullptr, nullptr, 0);
}

}  // namespace

void Signal::Finish(uint32_t state) {
  if (state_.exchange(state, std::memory_order_acq_rel) == kSleeping) {
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
  }
}

void Signal::Abort() {
  uint32_t state = state_.load(std::memory_order_acquire);
  while (state == kIdle || state == kSleeping) {
    if (state_.compare_exchange_weak(state, kAbortedState, std::memory_order_acq_rel)) {
      if (state == kSleeping)
        syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
      return;
    }
  }
}

Signal::Outcome Signal::Wait(std::optional<Clock::time_point> deadline) {
  std::optional<Clock::time_point> spin_until;
  for (;;) {
    uint32_t state = state_.load(std::memory_order_acquire);
    if (state == kRaisedState) return Outcome::kRaised;
    if (state == kAbortedState) return Outcome::kAborted;
    if (!spin_until) spin_until = Clock::now() + kSpin;
    if (Clock::now() < *spin_until) {
      for (int i = 0; i < 32; ++i) Pause();
      continue;
    }
    if (deadline && Clock::now() >= *deadline) return Outcome::kTimedOut;
    if (state == kIdle &&
        !state_.compare_exchange_strong(state, kSleeping, std::memory_order_acq_rel))
      continue;
    SleepWhile(state_, kSleeping, deadline);
  }
}

}  // namespace headrace
