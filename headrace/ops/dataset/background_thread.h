// The thread of an iterator that computes ahead.
//
//   thread_ = std::make_unique<BackgroundThread>([this, ctx](Cancellation& stop) { ... until stop.cancelled() ... });
//   thread_.reset();   // cancels, and waits until the function has returned
//
// Waits inside the function go through `stop`, with a callback that wakes them.
#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "headrace/base/cancellation.h"
#include "headrace/device/fork.h"

namespace headrace {

class BackgroundThread {
 public:
  explicit BackgroundThread(std::function<void(Cancellation& stop)> run)
      : stop_(std::make_unique<Cancellation>()),
        thread_([run = std::move(run), stop = stop_.get()] { run(*stop); }) {}
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  ~BackgroundThread() {
    if (born_ !=
        ForkGeneration()) {  // the thread is the parent's, and so is what it may have locked
      thread_.detach();
      (void)stop_.release();
      return;
    }
    stop_->Cancel(absl::CancelledError("the iterator was destroyed"));
    thread_.join();
  }
  // False in a child of the process that started it.
  bool runs_here() const { return born_ == ForkGeneration(); }

 private:
  const int64_t born_ = ForkGeneration();
  std::unique_ptr<Cancellation> stop_;
  std::thread thread_;
};

}  // namespace headrace
