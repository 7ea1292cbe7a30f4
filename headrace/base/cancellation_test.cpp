#include "headrace/base/cancellation.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

using std::chrono::milliseconds;

TEST(Cancellation, TheFirstReasonStays) {
  Cancellation token;
  EXPECT_TRUE(token.status().ok());
  EXPECT_FALSE(token.cancelled());
  token.Cancel(NotFound("first"));
  token.Cancel(NotFound("second"));
  EXPECT_TRUE(token.cancelled());
  EXPECT_EQ(Message(token.status()), "first");
}

TEST(Cancellation, AnOkReasonIsStillCancelled) {
  Cancellation token;
  token.Cancel(absl::OkStatus());
  EXPECT_EQ(token.status().code(), absl::StatusCode::kCancelled);
}

TEST(Cancellation, CallbacksRunOnceUnlessRemoved) {
  Cancellation token;
  int first = 0, second = 0;
  token.OnCancel([&] { ++first; });
  const auto id = token.OnCancel([&] { ++second; });
  token.Remove(id);
  token.Cancel(NotFound("x"));
  token.Cancel(NotFound("y"));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 0);
  EXPECT_EQ(token.OnCancel([&] { ++first; }), std::nullopt);  // too late: not called
  EXPECT_EQ(first, 1);
  token.Remove(std::nullopt);
}

TEST(Cancellation, DeadlinePasses) {
  Cancellation late(Cancellation::Clock::now() - milliseconds(1));
  EXPECT_EQ(late.status().code(), absl::StatusCode::kDeadlineExceeded);
  Cancellation token(Cancellation::Clock::now() + milliseconds(10));
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  EXPECT_EQ(token.Wait(lock, never, [] { return false; }).code(),
            absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(token.Wait(lock, never, [] { return true; }).ok());  // ready beats the deadline
}

TEST(Cancellation, EndsAWait) {
  Cancellation token;
  std::mutex mutex;
  std::condition_variable condition;
  const auto id = token.OnCancel([&] {
    std::lock_guard lock(mutex);
    condition.notify_all();
  });
  std::thread canceller([&] {
    std::this_thread::sleep_for(milliseconds(5));
    token.Cancel(absl::AbortedError("stop"));
  });
  {
    std::unique_lock lock(mutex);
    EXPECT_EQ(Message(token.Wait(lock, condition, [] { return false; })), "stop");
  }
  canceller.join();
  token.Remove(id);
}

TEST(Cancellation, AfterRemoveNoCallbackRuns) {
  for (int round = 0; round < 500; ++round) {
    Cancellation token;
    auto alive = std::make_unique<int>(0);
    const auto id = token.OnCancel([&] { ++*alive; });
    std::thread canceller([&] { token.Cancel(absl::AbortedError("stop")); });
    token.Remove(id);
    alive
        .reset();  // a callback that still ran would touch freed memory (seen under the sanitizers)
    canceller.join();
  }
}

}  // namespace
}  // namespace headrace
