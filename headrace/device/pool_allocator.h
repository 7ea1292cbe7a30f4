// Memory of a device with a limit: best fit with coalescing over one range of addresses that can
// grow.
//
//   auto pool = PoolAllocator::Create(MakeHostRange(limit), {.name = "/device:GPU:0"});
//   void* p = (*pool)->Allocate(1000, "layer1/Relu (Relu)");
//   if (p == nullptr) return (*pool)->OutOfMemory(1000, "layer1/Relu (Relu)");  // the largest
//
// Because the range is one, growing never makes two regions that cannot be joined: a growing pool
// holds whatever one that took everything at once would hold. Thread-safe. Lives until its last
// allocation is given back, even if its device goes first.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "headrace/device/fork.h"
#include "headrace/tensor/allocator.h"

namespace headrace {

// A range of addresses of which the first part is backed by memory. Used under the pool's lock.
class MemoryRange {
 public:
  virtual ~MemoryRange() = default;
  virtual char* base() const = 0;
  virtual size_t capacity_bytes() const = 0;     // at most so much can be backed
  virtual size_t granularity_bytes() const = 0;  // Resize rounds up to multiples of it
  // Backs the first `bytes` bytes, and gives back what was backed beyond. False if there is no
  // memory.
  virtual bool Resize(size_t bytes) = 0;
};

// Host memory as the memory of a simulated device: addresses are reserved at once, pages come when
// they are touched. nullptr if the addresses cannot be had.
std::unique_ptr<MemoryRange> MakeHostRange(size_t capacity_bytes);

struct PoolAllocatorOptions {
  std::string name;           // of the device, for reports
  bool allow_growth = false;  // back memory as it is needed, instead of all at once
  size_t unit_bytes = 256;    // sizes are rounded up to multiples of it
};

class PoolAllocator final : public Allocator {
 public:
  // Errors: ResourceExhausted when the range is missing or cannot be backed.
  static StatusOr<std::shared_ptr<PoolAllocator>> Create(std::unique_ptr<MemoryRange> range,
                                                         PoolAllocatorOptions options);

  void* Allocate(size_t size_bytes, std::string_view owner) override;
  void Deallocate(void* data) override;
  // One line with sizes and fragmentation, then the largest live allocations: 12 lines at most.
  Status OutOfMemory(size_t size_bytes, std::string_view owner) const override;
  AllocatorStats stats() const override;
  std::string name() const override { return options_.name; }
  // Gives back what is backed behind the last allocation (a pool that took all at once keeps it).
  int64_t Trim() override;

  // Asserts the invariants of the free and used pieces; for tests. Internal error with what is
  // wrong.
  Status CheckConsistency() const;

 private:
  struct Piece {
    size_t size_bytes = 0;
    bool free = true;
    size_t wanted_bytes = 0;  // what was asked for
    std::string owner;
  };
  using Pieces = std::map<size_t, Piece>;  // by offset; neighbours in memory are neighbours here

  PoolAllocator(std::unique_ptr<MemoryRange> range, PoolAllocatorOptions options)
      : range_(std::move(range)), options_(std::move(options)) {}
  bool Grow(size_t wanted_bytes);
  void AddFree(size_t offset, size_t size_bytes);  // joins with free neighbours
  Pieces::iterator BestFit(size_t size_bytes);

  const std::unique_ptr<MemoryRange> range_;
  const PoolAllocatorOptions options_;
  mutable ForkSafeMutex mutex_;
  Pieces pieces_;
  std::set<std::pair<size_t, size_t>> free_;  // (size, offset)
  size_t backed_bytes_ = 0;
  AllocatorStats stats_;
  std::shared_ptr<Allocator> self_;  // held while anything is allocated
};

}  // namespace headrace
