#include "headrace/base/worker_pool.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace headrace {
namespace {

constexpr auto kSpin = std::chrono::microseconds(40);
constexpr double kInlineNs = 8000;      // below this a hand-off costs more than it brings
constexpr double kChunkNs = 300'000;    // 0.2-1 ms: short enough to balance under a busy neighbour
constexpr int64_t kChunksPerThread = 4;

thread_local bool inside_body = false;

void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

int AvailableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

WorkerPool::WorkerPool(int threads) : process_(getpid()) {
  for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { WorkerLoop(); });
}

WorkerPool::~WorkerPool() {
  stop_.store(true);
  epoch_.fetch_add(1);
  epoch_.notify_all();
  if (process_ != getpid()) {
    // The threads stayed with the parent. Their handles are left as they are: they may by now name threads that
    // this process started, which got the same stacks.
    new std::vector<std::thread>(std::move(threads_));
    return;
  }
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::ParallelFor(int64_t total, double ns_per_item, Body body) {
  if (total <= 0) return;
  const double total_ns = static_cast<double>(total) * ns_per_item;
  if (threads_.empty() || total_ns < kInlineNs) {
    body(0, total);
    return;
  }
  const int64_t by_threads = (total + size() * kChunksPerThread - 1) / (size() * kChunksPerThread);
  const int64_t by_time = static_cast<int64_t>(kChunkNs / ns_per_item) + 1;
  const int64_t least = static_cast<int64_t>(kInlineNs / 4 / ns_per_item) + 1;
  ParallelChunks(total, std::max(least, std::min(by_threads, by_time)), body);
}

void WorkerPool::ParallelChunks(int64_t total, int64_t chunk, Body body) {
  if (total <= 0) return;
  chunk = std::max<int64_t>(1, chunk);
  if (threads_.empty() || inside_body || total <= chunk || busy_.test_and_set(std::memory_order_acquire)) {
    for (int64_t begin = 0; begin < total; begin += chunk) body(begin, std::min(total, begin + chunk));
    return;
  }
  job_ = Job{&body, total, chunk};
  next_.store(0, std::memory_order_relaxed);
  state_.store(kOpen, std::memory_order_release);
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) > 0) epoch_.notify_all();
  RunChunks();
  state_.fetch_and(~kOpen, std::memory_order_acq_rel);
  for (int spins = 0; state_.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < 20000) Pause(); else std::this_thread::yield();
  }
  busy_.clear(std::memory_order_release);
}

void WorkerPool::RunChunks() {
  const Job job = job_;
  inside_body = true;
  for (;;) {
    const int64_t begin = next_.fetch_add(job.chunk, std::memory_order_relaxed);
    if (begin >= job.total) break;
    (*job.body)(begin, std::min(job.total, begin + job.chunk));
  }
  inside_body = false;
}

void WorkerPool::WorkerLoop() {
  int32_t seen = 0;
  for (;;) {
    const auto deadline = std::chrono::steady_clock::now() + kSpin;
    while (epoch_.load(std::memory_order_acquire) == seen) {
      for (int i = 0; i < 64 && epoch_.load(std::memory_order_acquire) == seen; ++i) Pause();
      if (std::chrono::steady_clock::now() < deadline) continue;
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      epoch_.wait(seen, std::memory_order_seq_cst);
      sleepers_.fetch_sub(1, std::memory_order_seq_cst);
    }
    seen = epoch_.load(std::memory_order_acquire);
    if (stop_.load(std::memory_order_acquire)) return;
    uint64_t state = state_.load(std::memory_order_acquire);
    while ((state & kOpen) != 0) {
      if (!state_.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel)) continue;
      RunChunks();
      state_.fetch_sub(1, std::memory_order_acq_rel);
      break;
    }
  }
}

}  // namespace headrace
