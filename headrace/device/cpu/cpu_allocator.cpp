#include "headrace/device/cpu/cpu_allocator.h"

#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace headrace {
namespace {

constexpr int64_t kSlackBytes = 64 << 20;

void RaiseTo(std::atomic<int64_t>& mark, int64_t value) {
  int64_t now = mark.load(std::memory_order_relaxed);
  while (value > now && !mark.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

CpuAllocator& CpuAllocator::Global() {
  static auto* allocator = new CpuAllocator;
  return *allocator;
}

int64_t CpuAllocator::ClassBytes(int index) {
  const int doubling = index / kStepsPerDoubling, step = index % kStepsPerDoubling;
  return (kLeastKept << doubling) / kStepsPerDoubling * (kStepsPerDoubling + step);
}

int CpuAllocator::ClassAtMost(int64_t size_bytes) {
  const int doubling = std::bit_width(static_cast<uint64_t>(size_bytes / kLeastKept)) - 1;
  const int64_t unit = (kLeastKept << doubling) / kStepsPerDoubling;
  return doubling * kStepsPerDoubling + static_cast<int>(size_bytes / unit) - kStepsPerDoubling;
}

int CpuAllocator::ClassAtLeast(int64_t size_bytes) {
  const int below = ClassAtMost(size_bytes);
  return ClassBytes(below) == size_bytes ? below : below + 1;
}

void* CpuAllocator::TakeKept(int index) {
  std::lock_guard lock(mutex_);
  if (kept_[index].empty()) return nullptr;
  void* data = kept_[index].back();
  kept_[index].pop_back();
  kept_bytes_ -= ClassBytes(index);
  return data;
}

void CpuAllocator::CountIn(int64_t size_bytes) {
  allocations_.fetch_add(1, std::memory_order_relaxed);
  const int64_t now = in_use_.fetch_add(size_bytes, std::memory_order_relaxed) + size_bytes;
  RaiseTo(peak_, now);
  RaiseTo(high_water_, now);
}

void* CpuAllocator::Allocate(size_t size_bytes, std::string_view) {
  if (size_bytes > static_cast<size_t>(ClassBytes(kClasses - 1)))
    return nullptr;  // no machine has that much
  const auto wanted = static_cast<int64_t>(size_bytes);
  void* data = nullptr;
  size_t rounded = std::max(kAlignment, (size_bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (wanted >= kLeastKept) {
    const int index = ClassAtLeast(wanted);
    rounded = static_cast<size_t>(ClassBytes(index));
    data = TakeKept(index);
  }
  if (data == nullptr) data = std::aligned_alloc(kAlignment, rounded);
  if (data == nullptr && Trim() > 0) data = std::aligned_alloc(kAlignment, rounded);
  if (data != nullptr) CountIn(static_cast<int64_t>(malloc_usable_size(data)));
  return data;
}

void CpuAllocator::Deallocate(void* data) {
  if (data == nullptr) return;
  const auto usable = static_cast<int64_t>(malloc_usable_size(data));
  const int64_t in_use = in_use_.fetch_sub(usable, std::memory_order_relaxed) - usable;
  if (usable < kLeastKept) {
    std::free(data);
    return;
  }
  std::vector<void*> given_up;  // freed outside the lock
  {
    std::lock_guard lock(mutex_);
    const int index = ClassAtMost(usable);
    const int64_t high = high_water_.load(std::memory_order_relaxed);
    const int64_t most = high + high / 4 + kSlackBytes - in_use - ClassBytes(index);
    for (int i = kClasses - 1; i >= 0 && kept_bytes_ > most;
         --i) {  // the largest go first: fewest calls
      while (!kept_[i].empty() && kept_bytes_ > most) {
        given_up.push_back(kept_[i].back());
        kept_[i].pop_back();
        kept_bytes_ -= ClassBytes(i);
      }
    }
    kept_[index].push_back(data);
    kept_bytes_ += ClassBytes(index);
  }
  for (void* block : given_up) std::free(block);
}

int64_t CpuAllocator::Trim() {
  std::vector<void*> given_up;
  int64_t bytes = 0;
  {
    std::lock_guard lock(mutex_);
    for (std::vector<void*>& blocks : kept_) {
      given_up.insert(given_up.end(), blocks.begin(), blocks.end());
      blocks.clear();
    }
    bytes = std::exchange(kept_bytes_, 0);
    high_water_.store(in_use_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
  for (void* block : given_up) std::free(block);
  malloc_trim(0);
  return bytes;
}

AllocatorStats CpuAllocator::stats() const {
  std::lock_guard lock(mutex_);
  const int64_t in_use = in_use_.load(std::memory_order_relaxed);
  return {.allocations = allocations_.load(std::memory_order_relaxed),
          .bytes_in_use = in_use,
          .peak_bytes = peak_.load(std::memory_order_relaxed),
          .reserved_bytes = in_use + kept_bytes_};
}

}  // namespace headrace
