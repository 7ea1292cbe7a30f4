#include "headrace/base/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <numeric>
#include <set>

#include "headrace/base/testing/thread_sanitizer.h"

namespace headrace {
namespace {

// Each item once, whatever the chunks.
void ExpectCovers(WorkerPool& pool, int64_t total, int64_t chunk) {
  std::vector<std::atomic<int>> hits(static_cast<size_t>(total));
  pool.ParallelChunks(total, chunk, [&](int64_t begin, int64_t end) {
    EXPECT_LE(end - begin, std::max<int64_t>(1, chunk));
    for (int64_t i = begin; i < end; ++i) hits[static_cast<size_t>(i)].fetch_add(1);
  });
  for (const auto& hit : hits) ASSERT_EQ(hit.load(), 1);
}

TEST(WorkerPool, EachItemOnce) {
  for (int threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (int64_t total : {0, 1, 7, 1000}) {
      for (int64_t chunk : {-1, 1, 3, 1000, 5000}) ExpectCovers(pool, total, chunk);
    }
  }
  EXPECT_EQ(WorkerPool(0).size(), 1);
  EXPECT_EQ(WorkerPool(-3).size(), 1);
}

TEST(WorkerPool, ShortWorkRunsInlineAsOnePiece) {
  WorkerPool pool(4);
  int calls = 0;  // not atomic: one thread only
  pool.ParallelFor(100, 1.0, [&](int64_t begin, int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 100);
  });
  EXPECT_EQ(calls, 1);
  pool.ParallelFor(0, 1e9, [&](int64_t, int64_t) { ++calls; });
  pool.ParallelFor(-5, 1e9, [&](int64_t, int64_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(WorkerPool, LongWorkIsCut) {
  WorkerPool pool(4);
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> chunks;
  pool.ParallelFor(1 << 20, 10.0, [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    chunks.emplace_back(begin, end);
  });
  std::sort(chunks.begin(), chunks.end());
  ASSERT_GT(chunks.size(), 4u);
  int64_t at = 0;
  for (const auto& [begin, end] : chunks) {
    EXPECT_EQ(begin, at);
    at = end;
  }
  EXPECT_EQ(at, 1 << 20);
}

TEST(WorkerPool, SeveralThreadsTakePart) {
  WorkerPool pool(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  // Workers may be slow to wake on a busy machine: try until one came.
  while (seen.size() < 2 && std::chrono::steady_clock::now() < give_up) {
    pool.ParallelChunks(64, 1, [&](int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
  }
  EXPECT_GE(seen.size(), 2u);
}

TEST(WorkerPool, NestedCallsRunOnTheirOwnThread) {
  WorkerPool pool(3);
  std::atomic<int64_t> sum{0};
  pool.ParallelChunks(8, 1, [&](int64_t, int64_t) {
    const std::thread::id outer = std::this_thread::get_id();
    pool.ParallelChunks(10, 1, [&](int64_t begin, int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      sum.fetch_add(begin);
    });
  });
  EXPECT_EQ(sum.load(), 8 * 45);
}

TEST(WorkerPool, SeveralCallersAtOnce) {
  WorkerPool pool(3);
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&pool, c] {
      std::vector<int64_t> partial(97);
      for (int round = 0; round < 3000; ++round) {
        const int64_t total = 1 + (round * 7 + c) % 97;
        pool.ParallelChunks(total, 1 + round % 5, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) partial[static_cast<size_t>(i)] = i + round;
        });
        for (int64_t i = 0; i < total; ++i) ASSERT_EQ(partial[static_cast<size_t>(i)], i + round);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(WorkerPool, WorksAfterSleepAndDiesWhileSleeping) {
  for (int i = 0; i < 3; ++i) {
    WorkerPool pool(3);
    ExpectCovers(pool, 100, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // well beyond the spin
    ExpectCovers(pool, 100, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (int i = 0; i < 200; ++i) WorkerPool pool(2);  // started and stopped at once
}

TEST(WorkerPool, AForkedChildWorksAlone) {
  WorkerPool pool(3);
  ExpectCovers(pool, 100, 1);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);  // a hang is a failure, not a hanging test
    std::atomic<int64_t> sum{0};
    pool.ParallelChunks(100, 1, [&](int64_t begin, int64_t) { sum.fetch_add(begin); });
    _exit(sum.load() == 4950 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ExpectCovers(pool, 100, 1);
}

TEST(WorkerPool, AForkedChildMayDropTheParentsPoolBesideItsOwn) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "not under ThreadSanitizer";
  auto pool = std::make_unique<WorkerPool>(5);
  ExpectCovers(*pool, 100, 1);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    {
      WorkerPool own(5);  // its threads get the stacks of those that are not here
      pool.reset();
    }  // joins its own threads
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(WorkerPool, CoresOfThisProcess) {
  EXPECT_GE(AvailableCores(), 1);
  EXPECT_LE(AvailableCores(), static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
}

}  // namespace
}  // namespace headrace
