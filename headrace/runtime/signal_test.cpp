#include "headrace/runtime/internal/signal.h"

#include <gtest/gtest.h>

#include <thread>

namespace headrace {
namespace {

TEST(Signal, WakesAWaiterThatSleeps) {
  Signal signal;
  std::thread raiser([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    signal.Raise();
  });
  EXPECT_EQ(signal.Wait(), Signal::Outcome::kRaised);
  raiser.join();
  EXPECT_EQ(signal.Wait(), Signal::Outcome::kRaised);
}

TEST(Signal, TimesOut) {
  Signal signal;
  const auto start = Signal::Clock::now();
  EXPECT_EQ(signal.Wait(start + std::chrono::milliseconds(20)), Signal::Outcome::kTimedOut);
  EXPECT_GE(Signal::Clock::now() - start, std::chrono::milliseconds(20));
}

TEST(Signal, AbortEndsWaitsButNotWhatWasRaised) {
  Signal waiting, raised;
  raised.Raise();
  raised.Abort();
  EXPECT_EQ(raised.Wait(), Signal::Outcome::kRaised);
  std::thread aborter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    waiting.Abort();
  });
  EXPECT_EQ(waiting.Wait(), Signal::Outcome::kAborted);
  aborter.join();
  waiting.Reset();
  waiting.Raise();
  EXPECT_EQ(waiting.Wait(), Signal::Outcome::kRaised);
}

TEST(Signal, PingPongLosesNothing) {
  constexpr int kRounds = 2000;
  Signal ping[2], pong[2];
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_EQ(ping[i % 2].Wait(), Signal::Outcome::kRaised);
      ping[i % 2].Reset();
      pong[i % 2].Raise();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    ping[i % 2].Raise();
    ASSERT_EQ(pong[i % 2].Wait(), Signal::Outcome::kRaised);
    pong[i % 2].Reset();
  }
  other.join();
}

}  // namespace
}  // namespace headrace
