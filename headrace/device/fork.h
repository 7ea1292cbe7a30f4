// What must hold in the child after a fork: threads of the parent are gone, and nothing may wait
// for them.
//
//   ForkSafeMutex mutex_;                       // never left locked in a child
//   static PerProcess<Pool> pool;               // pool.Get() is never the parent's
//   if (born_ != ForkGeneration()) Rebuild();   // this object's threads belong to the parent
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace headrace {

// How many forks lie between the start of the program and this process.
int64_t ForkGeneration();

// A mutex that the forking thread takes before a fork and releases on both sides, so that no child
// inherits it from a thread it does not have. A holder may not take another ForkSafeMutex, nor
// fork.
class ForkSafeMutex {
 public:
  ForkSafeMutex();
  ~ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

// One T for each process, made when it is first asked for and never destroyed: a child gets one of
// its own and leaves the parent's as the fork found it. For static variables. Thread-safe.
template <class T>
class PerProcess {
 public:
  T& Get() {
    Made* made = made_.load(std::memory_order_acquire);
    while (made == nullptr || made->generation != ForkGeneration()) {
      auto* mine = new Made;
      if (made_.compare_exchange_strong(made, mine, std::memory_order_acq_rel)) return mine->value;
      delete mine;  // another thread was first
    }
    return made->value;
  }

 private:
  struct Made {
    const int64_t generation = ForkGeneration();
    T value;
  };
  std::atomic<Made*> made_{nullptr};
};

}  // namespace headrace
