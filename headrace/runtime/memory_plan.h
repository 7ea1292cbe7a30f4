// Where the values of a step with known shapes lie in one arena.
//
//   PlanMemory({{.bytes = 400, .begin = 0, .end = 2}, {.bytes = 400, .begin = 3, .end = 5}});
//   // .total_bytes == 448, .offsets == {0, 0}
//
// Pure function of its input; the same blocks give the same plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headrace {

// Bytes that are needed from instruction `begin` to instruction `end`, both included.
struct MemoryBlock {
  int64_t bytes = 0;
  int begin = 0;
  int end = 0;
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  // one a block, multiples of 64
  int64_t total_bytes = 0;
  int64_t peak_live_bytes = 0;  // the lower bound: most bytes that live at one moment
};

MemoryPlan PlanMemory(std::span<const MemoryBlock> blocks);

}  // namespace headrace
