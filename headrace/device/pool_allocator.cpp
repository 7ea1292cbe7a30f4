#include "headrace/device/pool_allocator.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

size_t RoundUp(size_t bytes, size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

StatusOr<std::shared_ptr<PoolAllocator>> PoolAllocator::Create(std::unique_ptr<MemoryRange> range,
                                                               PoolAllocatorOptions options) {
  if (range == nullptr) {
    return absl::ResourceExhaustedError(
        StrCat("no addresses can be reserved for the memory of ", options.name));
  }
  std::shared_ptr<PoolAllocator> pool(new PoolAllocator(std::move(range), std::move(options)));
  pool->stats_.limit_bytes = static_cast<int64_t>(pool->range_->capacity_bytes());
  if (!pool->options_.allow_growth && !pool->Grow(pool->range_->capacity_bytes())) {
    return absl::ResourceExhaustedError(StrCat(
        HumanBytes(pool->stats_.limit_bytes), " cannot be had for ", pool->options_.name,
        "; with allow_growth it takes memory as it is needed, and memory_limit_bytes bounds it"));
  }
  return pool;
}

void* PoolAllocator::Allocate(size_t size_bytes, std::string_view owner) {
  if (size_bytes > range_->capacity_bytes()) return nullptr;
  const size_t rounded = RoundUp(std::max<size_t>(1, size_bytes), options_.unit_bytes);
  std::lock_guard lock(mutex_);
  ++stats_.allocations;
  auto it = BestFit(rounded);
  if (it == pieces_.end()) {
    if (!Grow(rounded)) return nullptr;
    it = BestFit(rounded);
  }
  const size_t offset = it->first;
  Piece& piece = it->second;
  free_.erase({piece.size_bytes, offset});
  if (piece.size_bytes > rounded) {
    const size_t rest = piece.size_bytes - rounded;
    pieces_.emplace_hint(std::next(it), offset + rounded, Piece{.size_bytes = rest});
    free_.emplace(rest, offset + rounded);
    piece.size_bytes = rounded;
  }
  piece.free = false;
  piece.wanted_bytes = size_bytes;
  piece.owner = owner;
  stats_.bytes_in_use += static_cast<int64_t>(rounded);
  stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.bytes_in_use);
  if (self_ == nullptr) self_ = Share();
  return range_->base() + offset;
}

void PoolAllocator::Deallocate(void* data) {
  if (data == nullptr) return;
  std::shared_ptr<Allocator> last;  // let go after the lock
  std::lock_guard lock(mutex_);
  auto it = pieces_.find(static_cast<size_t>(static_cast<char*>(data) - range_->base()));
  if (it == pieces_.end() || it->second.free) return;
  const size_t offset = it->first, size = it->second.size_bytes;
  pieces_.erase(it);
  AddFree(offset, size);
  stats_.bytes_in_use -= static_cast<int64_t>(size);
  if (stats_.bytes_in_use == 0) last = std::move(self_);
}

PoolAllocator::Pieces::iterator PoolAllocator::BestFit(size_t size_bytes) {
  auto best = free_.lower_bound({size_bytes, 0});
  return best == free_.end() ? pieces_.end() : pieces_.find(best->second);
}

bool PoolAllocator::Grow(size_t wanted_bytes) {
  // A free piece at the end counts: only what is missing is added.
  size_t at_end = 0;
  if (!pieces_.empty() && pieces_.rbegin()->second.free)
    at_end = pieces_.rbegin()->second.size_bytes;
  if (wanted_bytes > range_->capacity_bytes() - backed_bytes_ + at_end) return false;
  const size_t least = backed_bytes_ + (wanted_bytes > at_end ? wanted_bytes - at_end : 0);
  // Grow by a quarter at least, so that many small requests cost few calls.
  size_t target = std::max(least, backed_bytes_ + backed_bytes_ / 4);
  target = std::min(RoundUp(target, range_->granularity_bytes()), range_->capacity_bytes());
  if (!range_->Resize(target)) {
    target = std::min(RoundUp(least, range_->granularity_bytes()), range_->capacity_bytes());
    if (!range_->Resize(target)) return false;
  }
  const size_t added = target - backed_bytes_;
  if (added > 0) AddFree(std::exchange(backed_bytes_, target), added);
  return true;
}

void PoolAllocator::AddFree(size_t offset, size_t size_bytes) {
  auto next = pieces_.lower_bound(offset);
  if (next != pieces_.end() && next->second.free && offset + size_bytes == next->first) {
    free_.erase({next->second.size_bytes, next->first});
    size_bytes += next->second.size_bytes;
    next = pieces_.erase(next);
  }
  if (next != pieces_.begin()) {
    auto before = std::prev(next);
    if (before->second.free && before->first + before->second.size_bytes == offset) {
      free_.erase({before->second.size_bytes, before->first});
      before->second.size_bytes += size_bytes;
      free_.emplace(before->second.size_bytes, before->first);
      return;
    }
  }
  pieces_.emplace_hint(next, offset, Piece{.size_bytes = size_bytes});
  free_.emplace(size_bytes, offset);
}

int64_t PoolAllocator::Trim() {
  std::lock_guard lock(mutex_);
  if (!options_.allow_growth || pieces_.empty() || !pieces_.rbegin()->second.free) return 0;
  const auto [offset, piece] = *pieces_.rbegin();
  const size_t target = RoundUp(offset, range_->granularity_bytes());
  if (target >= backed_bytes_ || !range_->Resize(target)) return 0;
  pieces_.erase(offset);
  free_.erase({piece.size_bytes, offset});
  const size_t given = backed_bytes_ - target;
  backed_bytes_ = target;
  if (target > offset) AddFree(offset, target - offset);
  return static_cast<int64_t>(given);
}

AllocatorStats PoolAllocator::stats() const {
  std::lock_guard lock(mutex_);
  AllocatorStats stats = stats_;
  stats.reserved_bytes = static_cast<int64_t>(backed_bytes_);
  return stats;
}

Status PoolAllocator::OutOfMemory(size_t size_bytes, std::string_view owner) const {
  constexpr size_t kRows = 10;
  struct Row {
    size_t size_bytes;
    std::string owner;
  };
  std::vector<Row> rows;
  size_t largest_free = 0, free_bytes = 0;
  int64_t in_use = 0;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [offset, piece] : pieces_) {
      if (!piece.free) rows.push_back({piece.wanted_bytes, piece.owner});
    }
    for (const auto& [size, offset] : free_) free_bytes += size;
    if (!free_.empty()) largest_free = free_.rbegin()->first;
    const size_t beyond = range_->capacity_bytes() - backed_bytes_;  // could still be backed
    free_bytes += beyond;
    largest_free = std::max(largest_free, beyond);
    in_use = stats_.bytes_in_use;
  }
  const size_t shown = std::min(kRows, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(shown), rows.end(),
                    [](const Row& a, const Row& b) { return a.size_bytes > b.size_bytes; });
  const size_t fragmentation = free_bytes == 0 ? 0 : 100 - largest_free * 100 / free_bytes;
  std::string text = StrCat(
      "out of memory on ", options_.name, ": ", HumanBytes(static_cast<int64_t>(size_bytes)),
      " wanted", owner.empty() ? std::string() : StrCat(" for ", owner), "; ", HumanBytes(in_use),
      " of ", HumanBytes(static_cast<int64_t>(range_->capacity_bytes())), " in use by ",
      rows.size(), " tensors, largest free piece ", HumanBytes(static_cast<int64_t>(largest_free)),
      ", fragmentation ", fragmentation, " %");
  if (shown > 0) StrAppend(&text, "\nlargest:");
  for (size_t i = 0; i < shown; ++i) {
    const std::string size = HumanBytes(static_cast<int64_t>(rows[i].size_bytes));
    StrAppend(&text, "\n  ", std::string(size.size() < 10 ? 10 - size.size() : 0, ' '), size, "  ",
              rows[i].owner.empty() ? std::string("(unnamed)") : rows[i].owner);
  }
  return absl::ResourceExhaustedError(text);
}

Status PoolAllocator::CheckConsistency() const {
  std::lock_guard lock(mutex_);
  size_t at = 0, free_pieces = 0;
  int64_t in_use = 0;
  bool before_free = false;
  for (const auto& [offset, piece] : pieces_) {
    if (offset != at) return Internal("a gap or an overlap before offset ", offset);
    if (piece.size_bytes == 0) return Internal("an empty piece at ", offset);
    if (piece.free && before_free) return Internal("two free pieces in a row at ", offset);
    if (piece.free && free_.count({piece.size_bytes, offset}) == 0)
      return Internal("a lost free piece at ", offset);
    if (!piece.free) in_use += static_cast<int64_t>(piece.size_bytes);
    free_pieces += piece.free;
    before_free = piece.free;
    at = offset + piece.size_bytes;
  }
  if (at != backed_bytes_) return Internal("pieces end at ", at, ", backed are ", backed_bytes_);
  if (free_pieces != free_.size())
    return Internal(free_.size(), " free entries for ", free_pieces, " free pieces");
  if (in_use != stats_.bytes_in_use)
    return Internal("bytes in use are ", in_use, ", counted ", stats_.bytes_in_use);
  return absl::OkStatus();
}

}  // namespace headrace
