#include "headrace/runtime/launcher.h"

#include <condition_variable>
#include <deque>
#include <thread>

#include "headrace/device/fork.h"

namespace headrace {
namespace {

std::mutex& LaunchOrder() {
  static PerProcess<std::mutex> mutex;
  return mutex.Get();
}

}  // namespace

// Runs work in order on one thread, for a CPU device besides CPU:0.
class Launcher::Thread {
 public:
  Thread() : thread_([this] { Loop(); }) {}
  ~Thread() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  void Enqueue(std::function<void()> work) {
    {
      std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
    }
    changed_.notify_one();
  }

 private:
  void Loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::function<void()> work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool stop_ = false;
  std::thread thread_;
};

Launcher::Launcher(std::shared_ptr<DeviceSet> devices)
    : devices_(std::move(devices)), threads_(devices_->size()), born_(ForkGeneration()) {}

Launcher::~Launcher() {
  if (born_ == ForkGeneration()) return;
  for (auto& thread : threads_) (void)thread.release();  // the parent's: not here to be joined
}

Launcher::Thread& Launcher::ThreadOf(int device) {
  std::lock_guard lock(mutex_);
  if (threads_[device] == nullptr) threads_[device] = std::make_unique<Thread>();
  return *threads_[device];
}

void Launcher::Launch(std::span<std::pair<int, std::function<void()>>> work) {
  std::lock_guard lock(LaunchOrder());
  for (auto& [device, run] : work) {
    if (Stream* stream = devices_->device(device).stream()) {
      stream->Enqueue(std::move(run));
    } else {
      ThreadOf(device).Enqueue(std::move(run));
    }
  }
}

}  // namespace headrace
