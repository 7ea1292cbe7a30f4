#include "headrace/tensor/allocator.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

class MallocAllocator final : public Allocator {
 public:
  void* Allocate(size_t size_bytes, std::string_view) override {
    const size_t rounded = (size_bytes + kAlignment - 1) / kAlignment * kAlignment;
    void* data = std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
    if (data == nullptr) return nullptr;
    allocations_.fetch_add(1, std::memory_order_relaxed);
    const int64_t size = static_cast<int64_t>(malloc_usable_size(data));
    const int64_t now = in_use_.fetch_add(size, std::memory_order_relaxed) + size;
    int64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    return data;
  }
  void Deallocate(void* data) override {
    if (data == nullptr) return;
    in_use_.fetch_sub(static_cast<int64_t>(malloc_usable_size(data)), std::memory_order_relaxed);
    std::free(data);
  }
  AllocatorStats stats() const override {
    return {.allocations = allocations_.load(), .bytes_in_use = in_use_.load(), .peak_bytes = peak_.load()};
  }
  std::string name() const override { return "host"; }

 private:
  std::atomic<int64_t> allocations_{0}, in_use_{0}, peak_{0};
};

}  // namespace

Status Allocator::OutOfMemory(size_t size_bytes, std::string_view owner) const {
  const AllocatorStats now = stats();
  return absl::ResourceExhaustedError(StrCat(
      "out of memory on ", name(), ": ", size_bytes, " bytes wanted", owner.empty() ? "" : " for ", owner, ", ",
      now.bytes_in_use, " in use", now.limit_bytes > 0 ? StrCat(" of ", now.limit_bytes) : std::string()));
}

Allocator& HostAllocator() {
  static auto* allocator = new MallocAllocator;
  return *allocator;
}

}  // namespace headrace
