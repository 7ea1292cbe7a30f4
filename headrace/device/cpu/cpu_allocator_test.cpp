#include "headrace/device/cpu/cpu_allocator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>

namespace headrace {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(CpuAllocator, KeepsLargeBlocksForTheNextStep) {
  CpuAllocator memory;
  void* a = memory.Allocate(3 * kMiB + 100, "");
  std::memset(a, 1, 3 * kMiB + 100);
  memory.Deallocate(a);
  EXPECT_EQ(memory.Allocate(3 * kMiB + 90, ""), a);  // the same size class
  EXPECT_EQ(memory.stats().allocations, 2);
  memory.Deallocate(a);
  EXPECT_GE(memory.stats().reserved_bytes, static_cast<int64_t>(3 * kMiB));
  EXPECT_EQ(memory.stats().bytes_in_use, 0);
  EXPECT_GE(memory.Trim(), static_cast<int64_t>(3 * kMiB));
  EXPECT_EQ(memory.stats().reserved_bytes, 0);
  EXPECT_GE(memory.stats().peak_bytes, static_cast<int64_t>(3 * kMiB));
}

TEST(CpuAllocator, GivesAlignedBlocksOfEverySize) {
  CpuAllocator memory;
  for (size_t size : {size_t{0}, size_t{1}, size_t{64}, size_t{65535}, size_t{65536}, size_t{65537},
                      size_t{73728}, size_t{131071}, size_t{131072}, size_t{1000000}, 33 * kMiB}) {
    auto* data = static_cast<char*>(memory.Allocate(size, ""));
    ASSERT_NE(data, nullptr) << size;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % Allocator::kAlignment, 0u);
    std::memset(data, 7, size);
    memory.Deallocate(data);
    // A block that comes back from the cache must hold its size too.
    data = static_cast<char*>(memory.Allocate(size, ""));
    std::memset(data, 8, size);
    memory.Deallocate(data);
  }
  EXPECT_EQ(memory.stats().bytes_in_use, 0);
  EXPECT_EQ(memory.Allocate(~size_t{0}, ""), nullptr);
  EXPECT_EQ(memory.Allocate(size_t{1} << 55, ""), nullptr);
}

TEST(CpuAllocator, BoundsWhatItKeeps) {
  CpuAllocator memory;
  // Always another size, so nothing is ever reused: only one block is in use at a time, of 16 MiB
  // at most.
  for (int i = 1; i <= 200; ++i) memory.Deallocate(memory.Allocate(kMiB + i * 80000, ""));
  const AllocatorStats stats = memory.stats();
  EXPECT_LE(stats.reserved_bytes,
            stats.peak_bytes + stats.peak_bytes / 4 + static_cast<int64_t>(64 * kMiB));
  memory.Trim();
}

TEST(CpuAllocator, ServesManyThreads) {
  CpuAllocator memory;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 300; ++i) {
        const size_t size = 1 + random() % 300000;
        auto* data = static_cast<char*>(memory.Allocate(size, ""));
        std::memset(data, t, size);
        EXPECT_EQ(data[random() % size], t);
        memory.Deallocate(data);
        if (i % 100 == 99) memory.Trim();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory.stats().bytes_in_use, 0);
  EXPECT_EQ(memory.stats().allocations, 1200);
}

}  // namespace
}  // namespace headrace
