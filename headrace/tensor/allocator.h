// Where the bytes of tensors come from. Each device has one; HostAllocator() is that of plain memory.
// Implementations are thread-safe and outlive the buffers they gave out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/status.h"

namespace headrace {

struct AllocatorStats {
  int64_t allocations = 0;     // calls of Allocate since the start: constant over a steady step
  int64_t bytes_in_use = 0;
  int64_t peak_bytes = 0;
  int64_t limit_bytes = 0;     // 0 = no limit
  int64_t reserved_bytes = 0;  // taken from the system, in use or kept for later; 0 where it is not known
};

class Allocator : public std::enable_shared_from_this<Allocator> {
 public:
  static constexpr size_t kAlignment = 64;

  virtual ~Allocator() = default;
  // At least `size_bytes` bytes, aligned to kAlignment, or nullptr when there is no room. `owner` says
  // in reports what they are for (a node's name and op); it is copied if it is kept.
  virtual void* Allocate(size_t size_bytes, std::string_view owner) = 0;
  virtual void Deallocate(void* data) = 0;
  // The error for an Allocate that gave nullptr: ResourceExhausted with the size that was asked for
  // and, where the allocator knows, the ten largest live allocations with their owners.
  virtual Status OutOfMemory(size_t size_bytes, std::string_view owner) const;
  virtual AllocatorStats stats() const = 0;
  // Gives memory that is kept for later back to the system; the bytes given.
  virtual int64_t Trim() { return 0; }
  virtual std::string name() const = 0;
  // For who wants to allocate after the device may be gone. Null where there is nothing to hold: the
  // allocator is never destroyed, or its owner outlives all users.
  std::shared_ptr<Allocator> Share() { return weak_from_this().lock(); }
};

Allocator& HostAllocator();

}  // namespace headrace
