#include "headrace/device/simulated/simulated_stream.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "headrace/device/fork.h"

namespace headrace {

struct SimulatedStream::Thread {
  const int64_t generation = ForkGeneration();
  std::mutex mutex;
  std::condition_variable work_came, work_done;
  std::deque<std::function<void()>> queue;
  int64_t enqueued = 0, done = 0;
  bool stop = false;
  Status failure;
  std::thread::id id;
  std::thread thread;

  Thread() {
    std::lock_guard lock(mutex);
    thread = std::thread([this] { Loop(); });
    id = thread.get_id();
  }

  void Loop() {
    std::unique_lock lock(mutex);
    for (;;) {
      work_came.wait(lock, [&] { return stop || !queue.empty(); });
      if (queue.empty()) return;
      std::function<void()> work = std::move(queue.front());
      queue.pop_front();
      lock.unlock();
      work();
      work = nullptr;  // what it holds goes before it counts as done
      lock.lock();
      ++done;
      work_done.notify_all();
    }
  }

  void Push(std::function<void()> work) {
    std::lock_guard lock(mutex);
    queue.push_back(std::move(work));
    ++enqueued;
    work_came.notify_one();
  }

  void WaitFor(std::unique_lock<std::mutex>& lock, int64_t ticket) {
    work_done.wait(lock, [&] { return done >= ticket; });
  }
};

SimulatedStream::SimulatedStream() : thread_(new Thread) {}

SimulatedStream::~SimulatedStream() {
  Thread* thread = thread_.load();
  if (thread->generation != ForkGeneration())
    return;  // the parent's, whose thread is not here to be joined
  {
    std::lock_guard lock(thread->mutex);
    thread->stop = true;
    thread->work_came.notify_one();
  }
  if (thread->id == std::this_thread::get_id()) {
    // The last owner was work on this very stream: the loop ends by itself and its state stays.
    thread->thread.detach();
    return;
  }
  thread->thread.join();
  delete thread;
}

SimulatedStream::Thread& SimulatedStream::Here() const {
  Thread* thread = thread_.load(std::memory_order_acquire);
  if (thread->generation == ForkGeneration()) return *thread;
  // The old one is left as it is: its mutex may be locked by a thread that does not exist here.
  auto* mine = new Thread;
  if (thread_.compare_exchange_strong(thread, mine, std::memory_order_acq_rel)) return *mine;
  {
    std::lock_guard lock(mine->mutex);
    mine->stop = true;
    mine->work_came.notify_one();
  }
  mine->thread.join();
  delete mine;
  return *thread;
}

void SimulatedStream::Enqueue(std::function<void()> work) {
  Here().Push(std::move(work));
}

Status SimulatedStream::Synchronize() {
  Thread& here = Here();
  std::unique_lock lock(here.mutex);
  if (here.id != std::this_thread::get_id()) here.WaitFor(lock, here.enqueued);
  return here.failure;
}

void SimulatedStream::RunInOrder(const std::function<void()>& work) {
  Thread& here = Here();
  if (here.id != std::this_thread::get_id()) {
    std::unique_lock lock(here.mutex);
    if (here.done != here.enqueued) {
      here.queue.push_back(work);
      const int64_t ticket = ++here.enqueued;
      here.work_came.notify_one();
      here.WaitFor(lock, ticket);
      return;
    }
  }
  work();
}

void SimulatedStream::Fail(Status error) {
  Thread& here = Here();
  std::lock_guard lock(here.mutex);
  if (here.failure.ok()) here.failure = std::move(error);
}

void SimulatedStream::Reset() {
  Thread& here = Here();
  std::lock_guard lock(here.mutex);
  here.failure = absl::OkStatus();
}

Status SimulatedStream::failure() const {
  Thread& here = Here();
  std::lock_guard lock(here.mutex);
  return here.failure;
}

}  // namespace headrace
