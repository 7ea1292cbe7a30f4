#include "headrace/device/pool_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/tensor/tensor.h"

namespace headrace {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

std::shared_ptr<PoolAllocator> Pool(size_t bytes, bool allow_growth = false) {
  auto pool = PoolAllocator::Create(MakeHostRange(bytes),
                                    {.name = "/device:GPU:0", .allow_growth = allow_growth});
  return pool.ok() ? *pool : nullptr;
}

TEST(PoolAllocator, TakesTheSmallestPieceThatFits) {
  auto pool = Pool(kMiB);
  void* a = pool->Allocate(4096, "a");
  void* b = pool->Allocate(256, "b");
  void* c = pool->Allocate(1024, "c");
  void* d = pool->Allocate(256, "d");
  ASSERT_NE(d, nullptr);
  pool->Deallocate(a);
  pool->Deallocate(c);
  EXPECT_EQ(pool->Allocate(1000, "e"), c);  // not in the hole of a, nor at the end
  EXPECT_EQ(pool->Allocate(2000, "f"), a);
  EXPECT_TRUE(pool->CheckConsistency().ok()) << pool->CheckConsistency();
  pool->Deallocate(b);
}

TEST(PoolAllocator, JoinsFreeNeighbours) {
  auto pool = Pool(kMiB);
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(pool->Allocate(kMiB / 4, "quarter"));
  EXPECT_EQ(pool->Allocate(1, "more"), nullptr);
  pool->Deallocate(blocks[0]);
  pool->Deallocate(blocks[2]);
  EXPECT_EQ(pool->Allocate(kMiB / 2, "half"), nullptr);  // fragmented
  pool->Deallocate(blocks[1]);
  EXPECT_NE(pool->Allocate(kMiB / 4 * 3, "three quarters"), nullptr);
  EXPECT_TRUE(pool->CheckConsistency().ok());
}

TEST(PoolAllocator, AlignsAndCountsAndHonoursTheLimit) {
  auto pool = Pool(kMiB + 5000);
  EXPECT_LE(pool->stats().limit_bytes, static_cast<int64_t>(kMiB + 5000));
  void* a = pool->Allocate(1, "");
  void* b = pool->Allocate(0, "");
  ASSERT_NE(b, nullptr);
  EXPECT_NE(a, b);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % Allocator::kAlignment, 0u);
  EXPECT_EQ(pool->stats().allocations, 2);
  EXPECT_EQ(pool->stats().bytes_in_use, 512);
  pool->Deallocate(a);
  EXPECT_EQ(pool->stats().bytes_in_use, 256);
  EXPECT_EQ(pool->stats().peak_bytes, 512);
  EXPECT_EQ(pool->Allocate(2 * kMiB, ""), nullptr);
  EXPECT_EQ(pool->Allocate(~size_t{0}, ""), nullptr);  // no overflow in rounding
}

TEST(PoolAllocator, GrowsAndGivesBack) {
  auto pool = Pool(64 * kMiB, /*allow_growth=*/true);
  EXPECT_EQ(pool->stats().reserved_bytes, 0);
  void* a = pool->Allocate(3 * kMiB, "a");
  std::memset(a, 1, 3 * kMiB);
  EXPECT_EQ(pool->stats().reserved_bytes, static_cast<int64_t>(4 * kMiB));
  void* b = pool->Allocate(30 * kMiB, "b");
  std::memset(b, 1, 30 * kMiB);
  // One range: what a pool of that size could hold fits, whatever the order of growing was.
  void* c = pool->Allocate(31 * kMiB, "c");
  ASSERT_NE(c, nullptr);
  std::memset(c, 1, 31 * kMiB);
  EXPECT_EQ(pool->Allocate(kMiB, "d"), nullptr);
  EXPECT_EQ(pool->Trim(), 0);
  pool->Deallocate(b);
  EXPECT_EQ(pool->Trim(), 0);  // c lies behind it
  pool->Deallocate(c);
  EXPECT_GE(pool->Trim(), static_cast<int64_t>(60 * kMiB));
  EXPECT_TRUE(pool->CheckConsistency().ok()) << pool->CheckConsistency();
  EXPECT_EQ(static_cast<char*>(a)[3 * kMiB - 1], 1);
  EXPECT_NE(pool->Allocate(60 * kMiB, "e"), nullptr);
  EXPECT_TRUE(pool->CheckConsistency().ok());
}

TEST(PoolAllocator, OutOfMemoryNamesTheTenLargest) {
  auto pool = Pool(100 * kMiB);
  ASSERT_NE(pool->Allocate(80 * kMiB, "net/big/Relu (Relu)"), nullptr);
  for (int i = 1; i <= 15; ++i)
    ASSERT_NE(pool->Allocate(i * 64 * 1024, StrCat("small", i, " (Add)")), nullptr);
  ASSERT_EQ(pool->Allocate(30 * kMiB, "net/more (MatMul)"), nullptr);
  const Status status = pool->OutOfMemory(30 * kMiB, "net/more (MatMul)");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  const std::string text(Message(status));
  const std::vector<std::string_view> lines = StrSplit(text, '\n');
  ASSERT_LE(lines.size(), 25u) << text;
  EXPECT_NE(lines[0].find("30.0 MiB wanted for net/more (MatMul)"), std::string_view::npos) << text;
  EXPECT_NE(lines[0].find("/device:GPU:0"), std::string_view::npos);
  EXPECT_NE(lines[0].find("by 16 tensors"), std::string_view::npos) << text;
  EXPECT_NE(lines[2].find("80.0 MiB  net/big/Relu (Relu)"), std::string_view::npos) << text;
  EXPECT_NE(lines[3].find("small15 (Add)"), std::string_view::npos);
  EXPECT_EQ(lines.size(), 12u) << text;
}

TEST(PoolAllocator, LivesUntilTheLastTensorIsGone) {
  std::weak_ptr<PoolAllocator> watch;
  Tensor tensor;
  {
    auto pool = Pool(kMiB);
    watch = pool;
    tensor = *Tensor::Allocate(*pool, DType::kFloat32, {1000}, "w");
  }
  ASSERT_FALSE(watch.expired());
  tensor.data<float>()[999] = 5;
  tensor = Tensor();
  EXPECT_TRUE(watch.expired());
}

TEST(PoolAllocator, ReportsARangeThatCannotBeHad) {
  EXPECT_EQ(PoolAllocator::Create(nullptr, {.name = "x"}).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(MakeHostRange(0), nullptr);
  EXPECT_EQ(MakeHostRange(size_t{1} << 60), nullptr);
}

// A few thousand random requests against the rules: pieces do not overlap, contents stay, nothing
// is refused that a first-fit look at the free gaps would find.
void Stress(uint32_t seed, bool allow_growth) {
  constexpr size_t kLimit = 4 * kMiB;
  auto pool = Pool(kLimit, allow_growth);
  struct Block {
    char* data;
    size_t size;
    char mark;
  };
  std::vector<Block> live;
  std::mt19937 random(seed);
  char* base = nullptr;
  for (int step = 0; step < 4000; ++step) {
    if (live.empty() || random() % 100 < 55) {
      const size_t size = 1 + random() % (random() % 8 == 0 ? kMiB : 20000);
      auto* data = static_cast<char*>(pool->Allocate(size, "stress"));
      if (data == nullptr) {
        std::vector<Block> sorted = live;
        std::sort(sorted.begin(), sorted.end(),
                  [](const Block& a, const Block& b) { return a.data < b.data; });
        const char* at = base;
        for (const Block& block : sorted) {
          ASSERT_LT(static_cast<size_t>(block.data - at), (size + 255) / 256 * 256)
              << "a gap was overlooked";
          at = block.data + (block.size + 255) / 256 * 256;
        }
        ASSERT_LT(static_cast<size_t>(base + kLimit - at), (size + 255) / 256 * 256);
        continue;
      }
      if (step == 0) base = data;
      const char mark = static_cast<char>(random());
      std::memset(data, mark, size);
      for (const Block& block : live)
        ASSERT_TRUE(data + size <= block.data || block.data + block.size <= data);
      live.push_back({data, size, mark});
    } else {
      const size_t at = random() % live.size();
      const Block block = live[at];
      ASSERT_TRUE(std::all_of(block.data, block.data + block.size,
                              [&](char c) { return c == block.mark; }));
      pool->Deallocate(block.data);
      live[at] = live.back();
      live.pop_back();
    }
    if (step % 97 == 0 && allow_growth) pool->Trim();
    if (step % 50 == 0) {
      ASSERT_TRUE(pool->CheckConsistency().ok()) << pool->CheckConsistency();
    }
  }
  for (const Block& block : live) pool->Deallocate(block.data);
  EXPECT_EQ(pool->stats().bytes_in_use, 0);
  EXPECT_NE(pool->Allocate(kLimit, "all"), nullptr);
}

TEST(PoolAllocator, SurvivesRandomUse) {
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    Stress(seed, false);
    Stress(seed, true);
  }
}

TEST(PoolAllocator, ServesManyThreads) {
  auto pool = Pool(8 * kMiB, true);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 500; ++i) {
        const size_t size = 1 + random() % 50000;
        auto* data = static_cast<char*>(pool->Allocate(size, "thread"));
        if (data == nullptr) continue;
        std::memset(data, t, size);
        EXPECT_EQ(data[random() % size], t);
        pool->Deallocate(data);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(pool->stats().bytes_in_use, 0);
  EXPECT_TRUE(pool->CheckConsistency().ok());
}

}  // namespace
}  // namespace headrace
