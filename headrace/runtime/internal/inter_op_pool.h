// The threads on which the general executor runs nodes side by side. One for the process, made on
// first use; a thread more for each task that may wait for others.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace headrace {

class InterOpPool {
 public:
  static InterOpPool& Global();  // of this process, not of the one it was forked from
  InterOpPool();                 // as many threads as cores, 2 at least
  explicit InterOpPool(int threads);
  ~InterOpPool();  // runs what was scheduled

  void Schedule(std::function<void()> task);
  // For a task that may wait for what other tasks do: never behind them in the queue.
  void ScheduleBlocking(std::function<void()> task);

 private:
  void Loop();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headrace
