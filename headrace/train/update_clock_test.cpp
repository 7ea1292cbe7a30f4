#include "headrace/train/update_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

namespace headrace {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

Status Nothing() { return absl::OkStatus(); }

// Replicas with random step times train until `updates` updates are done.
void TrainAtRandom(UpdateClock& clock, int replicas, int64_t updates, int slow_replica = -1) {
  std::vector<std::thread> threads;
  Cancellation cancel;
  for (int r = 0; r < replicas; ++r) {
    threads.emplace_back([&, r] {
      std::mt19937 random(r);
      while (clock.updates() < updates) {
        ASSERT_TRUE(clock.Read(r, cancel, Nothing).ok());
        std::this_thread::sleep_for(microseconds(random() % 200 + (r == slow_replica ? 3000 : 0)));
        ASSERT_TRUE(clock.Apply(r, cancel, [](int64_t) { return absl::OkStatus(); }).ok());
      }
      clock.Leave(r);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(UpdateClock, CountsUpdatesByOthersSinceTheRead) {
  UpdateClock clock(3, {});
  Cancellation cancel;
  int64_t seen = -1;
  const auto apply = [&](int r) {
    return clock.Apply(r, cancel, [&](int64_t staleness) { seen = staleness; return absl::OkStatus(); });
  };
  ASSERT_TRUE(clock.Read(0, cancel, Nothing).ok());
  ASSERT_TRUE(clock.Read(1, cancel, Nothing).ok());
  ASSERT_TRUE(apply(1).ok());
  EXPECT_EQ(seen, 0);
  ASSERT_TRUE(clock.Read(1, cancel, Nothing).ok());
  ASSERT_TRUE(apply(1).ok());
  EXPECT_EQ(seen, 0) << "its own earlier update does not count";
  ASSERT_TRUE(apply(0).ok());
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(clock.updates(), 3);
  EXPECT_EQ(clock.histogram().counts, (std::map<int64_t, int64_t>{{0, 2}, {2, 1}}));
}

TEST(UpdateClock, KeepsStalenessBoundExactly) {
  for (int64_t bound : {0, 1, 2, 3, 5}) {
    UpdateClock clock(4, {.max_staleness = bound});
    TrainAtRandom(clock, 4, 300, /*slow_replica=*/2);
    EXPECT_LE(clock.histogram().max(), bound);
    EXPECT_GE(clock.histogram().total(), 300);
  }
}

TEST(UpdateClock, UnboundedSlowReplicaBecomesStaleAndStopsNobody) {
  UpdateClock clock(4, {});
  Cancellation cancel;
  ASSERT_TRUE(clock.Read(3, cancel, Nothing).ok());
  TrainAtRandom(clock, 3, 300);  // while replica 3 computes
  const int64_t updates = clock.updates();
  EXPECT_GE(updates, 300);
  ASSERT_TRUE(clock.Apply(3, cancel, [](int64_t) { return absl::OkStatus(); }).ok());
  EXPECT_EQ(clock.histogram(3).max(), updates);
  EXPECT_EQ(clock.steps_done(3), 1);
}

TEST(UpdateClock, LeadBoundHoldsFastReplicasBack) {
  UpdateClock clock(3, {.max_lead = 2});
  Cancellation cancel;
  std::atomic<int64_t> worst{0};
  std::vector<std::thread> threads;
  for (int r = 0; r < 3; ++r) {
    threads.emplace_back([&, r] {
      for (int step = 0; step < 50; ++step) {
        ASSERT_TRUE(clock.Read(r, cancel, [&] {
          return absl::OkStatus();
        }).ok());
        if (r == 0) std::this_thread::sleep_for(microseconds(300));
        ASSERT_TRUE(clock.Apply(r, cancel, [](int64_t) { return absl::OkStatus(); }).ok());
        const int64_t lead = clock.steps_done(r) - clock.steps_done(0);
        int64_t before = worst.load();
        while (lead > before && !worst.compare_exchange_weak(before, lead)) {
        }
      }
      clock.Leave(r);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(worst.load(), 3) << "at most K=2 ahead when it begins, so 3 when it has just finished";
}

TEST(UpdateClock, CancelledWaitReturnsAtOnceWithTheReason) {
  UpdateClock clock(2, {.max_staleness = 0});
  Cancellation cancel;
  ASSERT_TRUE(clock.Read(0, cancel, Nothing).ok());
  std::thread canceller([&] {
    std::this_thread::sleep_for(milliseconds(20));
    cancel.Cancel(absl::CancelledError("stop"));
  });
  EXPECT_EQ(clock.Read(1, cancel, Nothing), absl::CancelledError("stop"));
  canceller.join();
}

TEST(UpdateClock, AnUpdateMayCancelAndCancellationIsSeenWithoutAWait) {
  UpdateClock clock(2, {});
  Cancellation cancel;
  ASSERT_TRUE(clock.Read(0, cancel, Nothing).ok());
  ASSERT_TRUE(clock.Read(1, cancel, Nothing).ok());
  EXPECT_TRUE(clock.Apply(0, cancel, [&](int64_t) {
    EXPECT_EQ(clock.updates(), 0);
    cancel.Cancel(absl::CancelledError("stop"));
    return absl::OkStatus();
  }).ok());
  EXPECT_EQ(clock.updates(), 1);
  EXPECT_EQ(clock.Apply(1, cancel, [](int64_t) { return absl::OkStatus(); }), absl::CancelledError("stop"));
  EXPECT_EQ(clock.Read(0, cancel, Nothing), absl::CancelledError("stop"));
  EXPECT_EQ(clock.updates(), 1);
}

TEST(UpdateClock, FailedUpdateIsNotCounted) {
  UpdateClock clock(2, {});
  Cancellation cancel;
  ASSERT_TRUE(clock.Read(0, cancel, Nothing).ok());
  ASSERT_TRUE(clock.Read(1, cancel, Nothing).ok());
  EXPECT_FALSE(clock.Apply(0, cancel, [](int64_t) { return absl::InternalError("x"); }).ok());
  EXPECT_EQ(clock.updates(), 0);
  int64_t staleness = -1;
  ASSERT_TRUE(clock.Apply(1, cancel, [&](int64_t s) { staleness = s; return absl::OkStatus(); }).ok());
  EXPECT_EQ(staleness, 0);
}

TEST(StalenessHistogram, MedianAndMax) {
  StalenessHistogram h{{{0, 2}, {1, 5}, {7, 1}}};
  EXPECT_EQ(h.median(), 1);
  EXPECT_EQ(h.max(), 7);
  EXPECT_EQ(StalenessHistogram{}.median(), 0);
}

}  // namespace
}  // namespace headrace
