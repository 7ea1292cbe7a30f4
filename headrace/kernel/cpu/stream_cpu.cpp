#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/kernel/cpu/stream_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include <algorithm>
#include <cstring>
#include <span>

#include "headrace/kernel/cpu/stream.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kLine = 64;

// Whole lines to an aligned place. With each of them `lines[s]` lines at `ahead[s]` are fetched.
void StreamLines(uint8_t* to, const uint8_t* from, int64_t bytes, std::span<const uint8_t*> ahead,
                 std::span<const int64_t> lines) {
  const hn::CappedTag<uint8_t, kLine> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < bytes; i += kLine) {
    for (size_t s = 0; s < ahead.size(); ++s) {
      for (int64_t k = 0; k < lines[s]; ++k, ahead[s] += kLine) hwy::Prefetch(ahead[s]);
    }
    for (int64_t k = 0; k < kLine; k += lanes)
      hn::Stream(hn::LoadU(d, from + i + k), d, to + i + k);
  }
}

// The same line again and again.
void StreamLine(uint8_t* to, const uint8_t* line, int64_t bytes) {
  const hn::CappedTag<uint8_t, kLine> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < bytes; i += kLine) {
    for (int64_t k = 0; k < kLine; k += lanes) hn::Stream(hn::LoadU(d, line + k), d, to + i + k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {

HWY_EXPORT(StreamLines);
HWY_EXPORT(StreamLine);
constexpr int64_t kLine = 64;
constexpr int64_t kBlockBytes = 4096;
constexpr size_t kMostSources = 3;

// Bytes until `p` is at the beginning of a line.
int64_t ToNextLine(const void* p) {
  return -static_cast<int64_t>(reinterpret_cast<uintptr_t>(p)) & (kLine - 1);
}

}  // namespace

void StreamCopy(void* to, const void* from, int64_t bytes, const void* next) {
  if (bytes == 0) return;  // nothing may come without an address, which memcpy does not allow
  uint8_t* y = static_cast<uint8_t*>(to);
  const uint8_t* x = static_cast<const uint8_t*>(from);
  const int64_t head = std::min(bytes, ToNextLine(y)), whole = (bytes - head) / kLine * kLine;
  std::memcpy(y, x, static_cast<size_t>(head));
  const uint8_t* ahead[] = {static_cast<const uint8_t*>(next)};
  const int64_t lines[] = {1};
  const size_t used = next == nullptr ? 0 : 1;
  HWY_DYNAMIC_DISPATCH(StreamLines)(y + head, x + head, whole, {ahead, used}, {lines, used});
  std::memcpy(y + head + whole, x + head + whole, static_cast<size_t>(bytes - head - whole));
}

void FlushStreams() {
  hwy::FlushStream();
}

void StreamFill(void* to, const void* element, int64_t size, int64_t count) {
  uint8_t* y = static_cast<uint8_t*>(to);
  const int64_t bytes = count * size;
  // Two lines of elements: one can begin at every byte of an element.
  alignas(kLine) uint8_t lines[2 * kLine];
  for (int64_t i = 0; i < 2 * kLine; i += size)
    std::memcpy(lines + i, element, static_cast<size_t>(size));
  const int64_t head = std::min(bytes, ToNextLine(y)), whole = (bytes - head) / kLine * kLine;
  std::memcpy(y, lines, static_cast<size_t>(head));
  const uint8_t* line = lines + head % size;
  HWY_DYNAMIC_DISPATCH(StreamLine)(y + head, line, whole);
  std::memcpy(y + head + whole, line, static_cast<size_t>(bytes - head - whole));
  hwy::FlushStream();
}

void StreamInBlocks(void* out, int64_t size, int64_t begin, int64_t end,
                    std::initializer_list<StreamSource> sources,
                    absl::FunctionRef<void(int64_t first, int64_t n, void* to)> body) {
  uint8_t* y = static_cast<uint8_t*>(out);
  // No element begins at a line.
  if (ToNextLine(y) % size != 0) return body(begin, end - begin, y + begin * size);
  int64_t widest = size;
  for (const StreamSource& source : sources) widest = std::max(widest, source.size);
  alignas(kLine) uint8_t block[kBlockBytes];
  // Blocks of whole lines. Elements that do not reach the first line, or do not fill the last, are
  // stored as usual.
  const int64_t block_elements =
      std::max(kLine, kBlockBytes * size / widest / kLine * kLine) / size;
  const int64_t head = std::min(end - begin, ToNextLine(y + begin * size) / size);
  if (head > 0)
    body(begin, head, block),
        std::memcpy(y + begin * size, block, static_cast<size_t>(head * size));
  for (int64_t i = begin + head; i < end; i += block_elements) {
    const int64_t n = std::min(block_elements, end - i), bytes = n * size;
    const int64_t whole = bytes / kLine * kLine;
    body(i, n, block);
    const uint8_t* ahead[kMostSources];
    int64_t lines[kMostSources];
    size_t used = 0;
    for (const StreamSource& source : sources) {
      if (source.size == 0) continue;
      ahead[used] = static_cast<const uint8_t*>(source.data) + (i + n) * source.size;
      lines[used++] = (source.size + size - 1) / size;
    }
    HWY_DYNAMIC_DISPATCH(StreamLines)(y + i * size, block, whole, {ahead, used}, {lines, used});
    std::memcpy(y + i * size + whole, block + whole, static_cast<size_t>(bytes - whole));
  }
  hwy::FlushStream();
}

}  // namespace headrace
#endif
