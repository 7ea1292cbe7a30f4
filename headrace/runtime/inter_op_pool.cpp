#include "headrace/runtime/internal/inter_op_pool.h"

#include <algorithm>

#include "headrace/base/worker_pool.h"
#include "headrace/device/fork.h"

namespace headrace {

InterOpPool& InterOpPool::Global() {
  static PerProcess<InterOpPool> pool;
  return pool.Get();
}

InterOpPool::InterOpPool() : InterOpPool(std::max(2, AvailableCores())) {}

InterOpPool::InterOpPool(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
}

InterOpPool::~InterOpPool() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void InterOpPool::Schedule(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void InterOpPool::ScheduleBlocking(std::function<void()> task) {
  std::thread(std::move(task)).detach();
}

void InterOpPool::Loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || !queue_.empty(); });
    if (queue_.empty()) return;
    std::function<void()> task = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

}  // namespace headrace
