// Stores that go past the caches, for results so large that they would not stay there until
// somebody reads them: plain stores read every line before they write it.
//
//   if (WorthStreaming(bytes) && out != x) {
//     StreamInBlocks(out, sizeof(float), begin, end, {{x, sizeof(float)}},
//                    [&](int64_t first, int64_t n, void* to) { Row(x + first, to, n); });
//   }
//
// Any thread may call these for its own part of a result; what they have written is seen by whoever
// synchronises with the caller afterwards.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "absl/functional/function_ref.h"

namespace headrace {

// Whether a result of that size should be streamed: from 16 MB on. (On the machines of
// benchmarks.md results of 8 MB are faster to read again if they were stored as usual.)
inline bool WorthStreaming(int64_t bytes) {
  return bytes >= 16 << 20;
}

// As memcpy; as many bytes at `next`, unless it is null, are fetched meanwhile. After the last call
// of a thread: FlushStreams.
void StreamCopy(void* to, const void* from, int64_t bytes, const void* next = nullptr);

void FlushStreams();

// `count` times the element of `size` bytes: 1, 2, 4, 8 or 16.
void StreamFill(void* to, const void* element, int64_t size, int64_t count);

// What a loop reads element by element: it is fetched while the block before is written. Size 0:
// nothing to fetch.
struct StreamSource {
  const void* data;  // at the element of index 0
  int64_t size;      // bytes of an element
};

// Elements [begin, end) of a result that is made by `body(first, n, to)`: n elements from index
// `first` on, to memory that is in the cache and aligned to a cache line. No source may be the
// result.
void StreamInBlocks(void* out, int64_t size, int64_t begin, int64_t end,
                    std::initializer_list<StreamSource> sources,
                    absl::FunctionRef<void(int64_t first, int64_t n, void* to)> body);

}  // namespace headrace
