// The threads of one CPU device, and the only way kernels use more than one core.
//
//   pool.ParallelFor(n, /*ns_per_item=*/0.5, [&](int64_t begin, int64_t end) { ... });
//
// Chunks are handed out from one atomic counter; the caller works too. Workers spin for some tens of
// microseconds, then sleep; a caller never waits for a worker that has not woken up. A call made
// inside a body, or while another thread uses the pool, runs on its own thread alone. The split into
// chunks depends on the number of threads: a reduction whose bits must not depend on it uses fixed
// blocks of its own. After a fork the child's caller does all the work alone. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace headrace {

class WorkerPool {
 public:
  using Body = absl::FunctionRef<void(int64_t begin, int64_t end)>;

  // `threads` counts the caller: 1 starts no thread at all. Values below 1 mean 1.
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }

  // Runs `body` over [0, total) in chunks sized from the estimated cost of an item in nanoseconds;
  // short work runs inline.
  void ParallelFor(int64_t total, double ns_per_item, Body body);
  // The same with chunks of exactly `chunk` items (the last may be shorter).
  void ParallelChunks(int64_t total, int64_t chunk, Body body);

 private:
  struct Job {
    const Body* body = nullptr;
    int64_t total = 0;
    int64_t chunk = 1;
  };
  void WorkerLoop();
  void RunChunks();

  static constexpr uint64_t kOpen = uint64_t{1} << 32;  // low half: workers inside the job

  Job job_;
  std::atomic_flag busy_;
  alignas(64) std::atomic<int64_t> next_{0};
  alignas(64) std::atomic<uint64_t> state_{0};
  alignas(64) std::atomic<int32_t> epoch_{0};
  std::atomic<int32_t> sleepers_{0};
  std::atomic<bool> stop_{false};
  const int process_;  // the threads live in this one only
  std::vector<std::thread> threads_;
};

// What a small machine offers: the cores this process may run on (affinity mask), at least 1.
int AvailableCores();

}  // namespace headrace
