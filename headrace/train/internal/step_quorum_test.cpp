#include "headrace/train/internal/step_quorum.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <tuple>

namespace headrace::train {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

Status Nothing() {
  return absl::OkStatus();
}
Status Apply(const StepMembers&) {
  return absl::OkStatus();
}

// Joins and reads; both must succeed.
void Begin(StepQuorum& quorum, int replica, Cancellation& cancel) {
  StatusOr<bool> joined = quorum.Join(replica, cancel);
  ASSERT_TRUE(joined.ok() && *joined) << joined.status();
  StatusOr<bool> in_time = quorum.Read(replica, Nothing);
  ASSERT_TRUE(in_time.ok() && *in_time) << in_time.status();
}

TEST(StepQuorum, FirstGradientsMakeTheStepAndALateOneIsDropped) {
  StepQuorum quorum({.replicas = 3, .needed = 2, .steps = 10});
  Cancellation cancel;
  for (int r = 0; r < 3; ++r) Begin(quorum, r, cancel);
  std::vector<StepMembers> steps;
  const auto deliver = [&](int r) {
    return *quorum.Deliver(r, [&](const StepMembers& members) {
      steps.push_back(members);
      return absl::OkStatus();
    });
  };
  EXPECT_EQ(deliver(2), GradientFate::kTaken);
  EXPECT_TRUE(steps.empty());
  EXPECT_EQ(deliver(0), GradientFate::kTaken);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].contributors, (std::vector<int>{0, 2}));
  EXPECT_EQ(steps[0].dropped, (std::vector<int>{1}));
  EXPECT_EQ(quorum.dropped(1), 1) << "known when the step closes, not when the gradient comes";
  EXPECT_EQ(deliver(1), GradientFate::kDropped);
  EXPECT_EQ(steps.size(), 1u);

  // It goes on with the step that is open now; who never joined is not dropped.
  Begin(quorum, 1, cancel);
  Begin(quorum, 0, cancel);
  EXPECT_EQ(deliver(1), GradientFate::kTaken);
  EXPECT_EQ(deliver(0), GradientFate::kTaken);
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].contributors, (std::vector<int>{0, 1}));
  EXPECT_TRUE(steps[1].dropped.empty());
  for (const auto& [replica, contributed, dropped] :
       {std::tuple(0, 2, 0), std::tuple(1, 1, 1), std::tuple(2, 1, 0)}) {
    EXPECT_EQ(quorum.contributed(replica), contributed) << replica;
    EXPECT_EQ(quorum.dropped(replica), dropped) << replica;
  }
}

TEST(StepQuorum, AReplicaThatWasDroppedMayNotReadForTheClosedStep) {
  StepQuorum quorum({.replicas = 2, .needed = 1, .steps = 10});
  Cancellation cancel;
  ASSERT_TRUE(*quorum.Join(1, cancel));
  Begin(quorum, 0, cancel);
  EXPECT_EQ(*quorum.Deliver(0,
                            [&](const StepMembers&) {
                              // Neither while the update runs.
                              EXPECT_FALSE(*quorum.Read(1, Nothing));
                              EXPECT_EQ(*quorum.Deliver(1, Apply), GradientFate::kDropped);
                              return absl::OkStatus();
                            }),
            GradientFate::kTaken);
  EXPECT_FALSE(*quorum.Read(1, Nothing));
  Begin(quorum, 1, cancel);
}

TEST(StepQuorum, AContributorWaitsForTheNextStep) {
  StepQuorum quorum({.replicas = 2, .needed = 2, .steps = 2});
  Cancellation cancel;
  Begin(quorum, 0, cancel);
  Begin(quorum, 1, cancel);
  ASSERT_EQ(*quorum.Deliver(0, Apply), GradientFate::kTaken);
  std::atomic<bool> updated{false};
  std::thread first([&] {
    ASSERT_TRUE(*quorum.Join(0, cancel));
    EXPECT_TRUE(updated) << "joined before the update of the step before was done";
  });
  std::this_thread::sleep_for(milliseconds(5));
  ASSERT_TRUE(quorum
                  .Deliver(1,
                           [&](const StepMembers&) {
                             std::this_thread::sleep_for(milliseconds(5));
                             updated = true;
                             return absl::OkStatus();
                           })
                  .ok());
  first.join();
}

TEST(StepQuorum, CancellationEndsAWaitAndRefusesFurtherSteps) {
  StepQuorum quorum({.replicas = 2, .needed = 2, .steps = 2});
  Cancellation cancel;
  Begin(quorum, 0, cancel);
  ASSERT_TRUE(quorum.Deliver(0, Apply).ok());
  std::thread canceller([&] {
    std::this_thread::sleep_for(milliseconds(5));
    cancel.Cancel(absl::AbortedError("stop"));
  });
  EXPECT_EQ(quorum.Join(0, cancel).status(), absl::AbortedError("stop"));
  EXPECT_EQ(quorum.Join(1, cancel).status(), absl::AbortedError("stop"));
  canceller.join();
  Cancellation late(Cancellation::Clock::now() + milliseconds(5));
  EXPECT_EQ(quorum.Join(0, late).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(StepQuorum, AnUpdateMayCancelAndAskForCounts) {
  StepQuorum quorum({.replicas = 2, .needed = 2, .steps = 1});
  Cancellation cancel;
  Begin(quorum, 0, cancel);
  Begin(quorum, 1, cancel);
  ASSERT_TRUE(quorum.Deliver(0, Apply).ok());
  std::thread waits([&] { EXPECT_FALSE(quorum.Join(0, cancel).value_or(false)); });
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_TRUE(quorum
                  .Deliver(1,
                           [&](const StepMembers&) {
                             EXPECT_EQ(quorum.contributed(0), 0);
                             cancel.Cancel(absl::AbortedError("the loss is small enough"));
                             return absl::OkStatus();
                           })
                  .ok());
  waits.join();
  EXPECT_TRUE(quorum.done());
  const StatusOr<bool> joined = quorum.Join(0, cancel);
  ASSERT_TRUE(joined.ok()) << "all steps are done: nothing was cut short";
  EXPECT_FALSE(*joined);
}

TEST(StepQuorum, AFailedUpdateEndsAllAndIsNotCounted) {
  StepQuorum quorum({.replicas = 3, .needed = 2, .steps = 5});
  Cancellation cancel;
  for (int r = 0; r < 3; ++r) Begin(quorum, r, cancel);
  ASSERT_TRUE(quorum.Deliver(0, Apply).ok());
  const Status failure = absl::InternalError("x");
  EXPECT_EQ(quorum.Deliver(1, [&](const StepMembers&) { return failure; }).status(), failure);
  EXPECT_EQ(*quorum.Deliver(2, Apply), GradientFate::kDropped);
  for (int r = 0; r < 3; ++r) {
    EXPECT_EQ(quorum.Join(r, cancel).status(), failure);
    EXPECT_EQ(quorum.contributed(r) + quorum.dropped(r), 0);
  }
  EXPECT_FALSE(quorum.done());
}

TEST(StepQuorum, AFailedSnapshotIsTheCallersError) {
  StepQuorum quorum({.replicas = 1, .needed = 1, .steps = 1});
  Cancellation cancel;
  ASSERT_TRUE(*quorum.Join(0, cancel));
  EXPECT_EQ(quorum.Read(0, [] { return absl::InternalError("x"); }).status(),
            absl::InternalError("x"));
}

// Replicas with random step times: every gradient of a step was computed from that step's weights,
// each is applied at most once, and all are accounted for.
TEST(StepQuorum, KeepsItsPromisesUnderRandomTimes) {
  for (const int needed : {1, 2, 3, 4}) {
    constexpr int kReplicas = 4;
    constexpr int64_t kSteps = 200;
    StepQuorum quorum({.replicas = kReplicas, .needed = needed, .steps = kSteps});
    Cancellation cancel;
    // Plain on purpose: the quorum alone keeps reads and updates apart.
    int64_t weights = 0;
    int64_t computed_from[kReplicas] = {};
    int64_t dropped[kReplicas] = {}, contributed[kReplicas] = {};
    std::vector<std::thread> threads;
    for (int r = 0; r < kReplicas; ++r) {
      threads.emplace_back([&, r] {
        std::mt19937 random(r);
        while (*quorum.Join(r, cancel)) {
          if (random() % 4 == 0) std::this_thread::sleep_for(microseconds(random() % 200));
          int64_t read = -1;
          if (!*quorum.Read(r, [&] {
                read = weights;
                return absl::OkStatus();
              })) {
            continue;
          }
          std::this_thread::sleep_for(microseconds(random() % 100));
          computed_from[r] = read;
          ASSERT_TRUE(quorum
                          .Deliver(r,
                                   [&](const StepMembers& members) {
                                     EXPECT_EQ(members.contributors.size(), needed);
                                     for (const int c : members.contributors) {
                                       EXPECT_EQ(computed_from[c], weights);
                                       computed_from[c] = -1;
                                       ++contributed[c];
                                     }
                                     for (const int d : members.dropped) ++dropped[d];
                                     ++weights;
                                     return absl::OkStatus();
                                   })
                          .ok());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(weights, kSteps);
    for (int r = 0; r < kReplicas; ++r) {
      EXPECT_EQ(quorum.contributed(r), contributed[r]);
      EXPECT_EQ(quorum.dropped(r), dropped[r]);
      EXPECT_TRUE(needed < kReplicas || dropped[r] == 0) << dropped[r];
    }
  }
}

}  // namespace
}  // namespace headrace::train
