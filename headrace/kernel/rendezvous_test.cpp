#include "headrace/kernel/rendezvous.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

using Value = Rendezvous::Value;

Value Of(int32_t x) {
  return {.tensor = Tensor::Scalar<int32_t>(x)};
}

TEST(LocalRendezvous, SendThenReceive) {
  auto meeting = MakeLocalRendezvous();
  ASSERT_TRUE(meeting->Send("k", Of(3)).ok());
  int32_t got = 0;
  meeting->RecvAsync("k", [&](StatusOr<Value> v) { got = v->tensor.scalar<int32_t>(); });
  EXPECT_EQ(got, 3);
}

TEST(LocalRendezvous, ReceiveThenSend) {
  auto meeting = MakeLocalRendezvous();
  bool dead = false;
  meeting->RecvAsync("k", [&](StatusOr<Value> v) { dead = v->dead; });
  EXPECT_FALSE(dead);
  ASSERT_TRUE(meeting->Send("other", Of(1)).ok());
  EXPECT_FALSE(dead);
  ASSERT_TRUE(meeting->Send("k", {.dead = true}).ok());
  EXPECT_TRUE(dead);
}

TEST(LocalRendezvous, KeepsOrderWithinAKey) {
  auto meeting = MakeLocalRendezvous();
  std::vector<int32_t> got;
  auto take = [&](StatusOr<Value> v) { got.push_back(v->tensor.scalar<int32_t>()); };
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(meeting->Send("k", Of(i)).ok());
  for (int i = 0; i < 5; ++i) meeting->RecvAsync("k", take);
  for (int i = 3; i < 5; ++i) ASSERT_TRUE(meeting->Send("k", Of(i)).ok());
  EXPECT_EQ(got, (std::vector<int32_t>{0, 1, 2, 3, 4}));
}

TEST(LocalRendezvous, AbortReachesAllAndStays) {
  auto meeting = MakeLocalRendezvous();
  std::vector<Status> got;
  auto take = [&](StatusOr<Value> v) { got.push_back(v.status()); };
  meeting->RecvAsync("a", take);
  meeting->RecvAsync("b", take);
  ASSERT_TRUE(meeting->Send("c", Of(1)).ok());
  meeting->Abort(Internal("first"));
  meeting->Abort(Internal("second"));
  meeting->RecvAsync("c", take);
  ASSERT_EQ(got.size(), 3u);
  for (const Status& status : got) EXPECT_EQ(Message(status), "first");
  EXPECT_EQ(Message(meeting->Send("d", Of(1))), "first");
}

TEST(LocalRendezvous, TheLastWaitersHearOfTheEnd) {
  Status got;
  {
    auto meeting = MakeLocalRendezvous();
    meeting->RecvAsync("a", [&](StatusOr<Value> v) { got = v.status(); });
  }
  EXPECT_EQ(got.code(), absl::StatusCode::kCancelled);
}

TEST(LocalRendezvous, ACallbackMayUseItAgain) {
  auto meeting = MakeLocalRendezvous();
  int32_t got = 0;
  meeting->RecvAsync("a", [&](StatusOr<Value> v) {
    EXPECT_TRUE(meeting->Send("b", *std::move(v)).ok());
    meeting->RecvAsync("b", [&](StatusOr<Value> w) { got = w->tensor.scalar<int32_t>(); });
  });
  ASSERT_TRUE(meeting->Send("a", Of(9)).ok());
  EXPECT_EQ(got, 9);
}

TEST(LocalRendezvous, ManyThreadsMeet) {
  auto meeting = MakeLocalRendezvous();
  constexpr int kKeys = 50, kRounds = 40;
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kKeys * kRounds; ++i)
        EXPECT_TRUE(meeting->Send(StrCat("k", i % kKeys), Of(i)).ok());
    });
    threads.emplace_back([&] {
      for (int i = 0; i < kKeys * kRounds; ++i) {
        meeting->RecvAsync(StrCat("k", i % kKeys),
                           [&](StatusOr<Value> v) { sum += v->tensor.scalar<int32_t>(); });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const int64_t n = kKeys * kRounds;
  EXPECT_EQ(sum, n * (n - 1));
}

}  // namespace
}  // namespace headrace
