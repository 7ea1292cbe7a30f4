// What must hold in the child after a fork: threads of the parent are gone, and nothing may wait
// for them.
//
//   ForkSafeMutex mutex_;                       // never left locked in a child
//   if (born_ != ForkGeneration()) Rebuild();   // this object's threads belong to the parent
#pragma once

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

}  // namespace headrace
