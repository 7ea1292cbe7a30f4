#include "headrace/runtime/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace headrace {
namespace {

void ExpectNoOverlap(const std::vector<MemoryBlock>& blocks, const MemoryPlan& plan) {
  ASSERT_EQ(plan.offsets.size(), blocks.size());
  for (size_t a = 0; a < blocks.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % 64, 0);
    EXPECT_LE(plan.offsets[a] + blocks[a].bytes, plan.total_bytes);
    for (size_t b = 0; b < a; ++b) {
      if (blocks[a].begin > blocks[b].end || blocks[b].begin > blocks[a].end) continue;
      EXPECT_TRUE(plan.offsets[a] + blocks[a].bytes <= plan.offsets[b] ||
                  plan.offsets[b] + blocks[b].bytes <= plan.offsets[a])
          << "blocks " << a << " and " << b;
    }
  }
  EXPECT_GE(plan.total_bytes, plan.peak_live_bytes);
}

std::vector<MemoryBlock> RandomBlocks(uint32_t seed, int count) {
  std::mt19937 random(seed);
  std::vector<MemoryBlock> blocks;
  for (int i = 0; i < count; ++i) {
    const int begin = static_cast<int>(random() % 500);
    blocks.push_back({.bytes = static_cast<int64_t>(random() % 5000),
                      .begin = begin,
                      .end = begin + static_cast<int>(random() % 40)});
  }
  return blocks;
}

TEST(MemoryPlan, ReusesWhatIsOver) {
  const MemoryPlan plan =
      PlanMemory({{{.bytes = 400, .begin = 0, .end = 2}, {.bytes = 400, .begin = 3, .end = 5}}});
  EXPECT_EQ(plan.total_bytes, 448);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 0}));
}

TEST(MemoryPlan, KeepsApartWhatMeetsInOneInstruction) {
  const std::vector<MemoryBlock> blocks{{.bytes = 64, .begin = 0, .end = 2},
                                        {.bytes = 64, .begin = 2, .end = 3}};
  ExpectNoOverlap(blocks, PlanMemory(blocks));
}

TEST(MemoryPlan, RandomBlocksDoNotOverlapAndStayNearTheLowerBound) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    const std::vector<MemoryBlock> blocks = RandomBlocks(seed, 300);
    const MemoryPlan plan = PlanMemory(blocks);
    ExpectNoOverlap(blocks, plan);
    EXPECT_LE(static_cast<double>(plan.total_bytes),
              1.25 * static_cast<double>(plan.peak_live_bytes));
  }
}

TEST(MemoryPlan, ManyBlocksAreSplitIntoLargeAndSmall) {
  const std::vector<MemoryBlock> blocks = RandomBlocks(7, 2500);
  ExpectNoOverlap(blocks, PlanMemory(blocks));
}

TEST(MemoryPlan, NothingAtAll) {
  EXPECT_EQ(PlanMemory({}).total_bytes, 0);
}

}  // namespace
}  // namespace headrace
