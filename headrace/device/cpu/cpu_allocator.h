// Host memory of CPU devices: keeps large freed blocks for the next request of their size, because
// fresh pages cost more than most kernels that fill them (0.4 ms a megabyte).
//
// What it keeps is bounded: memory in use and kept together stay below the peak in use so far + a
// quarter + 64 MiB; Trim gives all that is kept back. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "headrace/device/fork.h"
#include "headrace/tensor/allocator.h"

namespace headrace {

class CpuAllocator final : public Allocator {
 public:
  ~CpuAllocator() override { CpuAllocator::Trim(); }
  void* Allocate(size_t size_bytes, std::string_view owner) override;
  void Deallocate(void* data) override;
  AllocatorStats stats() const override;
  int64_t Trim() override;
  std::string name() const override { return "CPU"; }

  // That of all CPU devices of the process.
  static CpuAllocator& Global();

 private:
  static constexpr int64_t kLeastKept = 64 << 10;  // smaller blocks are malloc's own business
  static constexpr int kStepsPerDoubling = 8;      // sizes 64K, 72K, 80K, ... 128K, 144K, ...
  static constexpr int kClasses = 8 * 32;          // up to 2^48 bytes

  static int ClassAtLeast(int64_t size_bytes);  // the class whose blocks hold that much
  static int ClassAtMost(int64_t size_bytes);   // the largest class whose blocks are not larger
  static int64_t ClassBytes(int index);
  void* TakeKept(int index);
  void CountIn(int64_t size_bytes);

  std::atomic<int64_t> allocations_{0}, in_use_{0}, peak_{0};
  std::atomic<int64_t> high_water_{0};  // peak since the last Trim
  mutable ForkSafeMutex mutex_;
  std::array<std::vector<void*>, kClasses> kept_;
  int64_t kept_bytes_ = 0;
};

}  // namespace headrace
