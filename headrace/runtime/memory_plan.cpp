#include "headrace/runtime/memory_plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace headrace {
namespace {

constexpr int64_t kAlignment = 64;
// Placing a block looks at all that lie already: the largest this many get the careful treatment,
// the others, which decide little, a linear one.
constexpr size_t kCareful = 1500;

int64_t Rounded(int64_t bytes) {
  return (std::max<int64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

bool Overlap(const MemoryBlock& a, const MemoryBlock& b) {
  return a.begin <= b.end && b.begin <= a.end;
}

// Each block, in the order given, into the tightest gap between those that live at the same time.
int64_t PlaceCarefully(std::span<const MemoryBlock> blocks, const std::vector<int>& order,
                       std::vector<int64_t>& offsets) {
  std::vector<int> placed;  // by offset
  placed.reserve(order.size());
  int64_t total = 0;
  for (int index : order) {
    const int64_t bytes = Rounded(blocks[index].bytes);
    int64_t gap_begin = 0, best = -1, best_size = 0;
    for (int other : placed) {
      if (!Overlap(blocks[index], blocks[other])) continue;
      const int64_t gap = offsets[other] - gap_begin;
      if (gap >= bytes && (best < 0 || gap < best_size)) {
        best = gap_begin;
        best_size = gap;
      }
      gap_begin = std::max(gap_begin, offsets[other] + Rounded(blocks[other].bytes));
    }
    offsets[index] = best < 0 ? gap_begin : best;
    total = std::max(total, offsets[index] + bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), index,
                                   [&](int a, int b) { return offsets[a] < offsets[b]; }),
                  index);
  }
  return total;
}

// Free ranges of a growing arena, for blocks that come and go in time.
class FreeRanges {
 public:
  explicit FreeRanges(int64_t base) : end_(base) {}
  int64_t end() const { return end_; }

  int64_t Take(int64_t bytes) {
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it) {
      if (it->second >= bytes && (best == free_.end() || it->second < best->second)) best = it;
    }
    if (best != free_.end()) {
      const auto [offset, size] = *best;
      free_.erase(best);
      if (size > bytes) free_.emplace(offset + bytes, size - bytes);
      return offset;
    }
    const int64_t offset = end_;
    end_ += bytes;
    return offset;
  }

  void Give(int64_t offset, int64_t bytes) {
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + bytes == next->first) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    free_.emplace(offset, bytes);
  }

 private:
  std::map<int64_t, int64_t> free_;
  int64_t end_;
};

int64_t PlaceInTime(std::span<const MemoryBlock> blocks, std::vector<int> order, int64_t base,
                    std::vector<int64_t>& offsets) {
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return blocks[a].begin < blocks[b].begin; });
  FreeRanges ranges(base);
  std::multimap<int, int> ends;  // last instruction -> block
  for (int index : order) {
    while (!ends.empty() && ends.begin()->first < blocks[index].begin) {
      const int done = ends.begin()->second;
      ranges.Give(offsets[done], Rounded(blocks[done].bytes));
      ends.erase(ends.begin());
    }
    offsets[index] = ranges.Take(Rounded(blocks[index].bytes));
    ends.emplace(blocks[index].end, index);
  }
  return ranges.end();
}

int64_t PeakLiveBytes(std::span<const MemoryBlock> blocks) {
  std::map<int, int64_t> change;
  for (const MemoryBlock& block : blocks) {
    change[block.begin] += Rounded(block.bytes);
    change[block.end + 1] -= Rounded(block.bytes);
  }
  int64_t live = 0, peak = 0;
  for (const auto& [at, bytes] : change) peak = std::max(peak, live += bytes);
  return peak;
}

}  // namespace

MemoryPlan PlanMemory(std::span<const MemoryBlock> blocks) {
  MemoryPlan plan;
  plan.peak_live_bytes = PeakLiveBytes(blocks);
  std::vector<int> by_size(blocks.size());
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](int a, int b) { return blocks[a].bytes > blocks[b].bytes; });
  std::vector<int> small;
  if (by_size.size() > kCareful) {
    small.assign(by_size.begin() + kCareful, by_size.end());
    by_size.resize(kCareful);
  }

  std::vector<int> by_time = by_size, by_area = by_size;
  std::stable_sort(by_time.begin(), by_time.end(),
                   [&](int a, int b) { return blocks[a].begin < blocks[b].begin; });
  auto area = [&](int i) {
    return static_cast<double>(blocks[i].bytes) * (blocks[i].end - blocks[i].begin + 1);
  };
  std::stable_sort(by_area.begin(), by_area.end(), [&](int a, int b) { return area(a) > area(b); });

  int64_t best = -1;
  for (const std::vector<int>* order : {&by_size, &by_area, &by_time}) {
    std::vector<int64_t> offsets(blocks.size(), 0);
    const int64_t total = PlaceCarefully(blocks, *order, offsets);
    if (best < 0 || total < best) {
      best = total;
      plan.offsets = std::move(offsets);
    }
    if (small.empty() && best == plan.peak_live_bytes) break;
  }
  plan.total_bytes =
      small.empty() ? best : PlaceInTime(blocks, std::move(small), best, plan.offsets);
  return plan;
}

}  // namespace headrace
