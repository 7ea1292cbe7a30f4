#include "headrace/kernel/cpu/stream.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace headrace {
namespace {

// A destination that begins `offset` bytes behind a cache line, with guards around it.
struct Destination {
  Destination(int64_t offset, int64_t bytes)
      : memory(static_cast<size_t>(bytes) + 256, 0xee), bytes(bytes) {
    const auto address = reinterpret_cast<uintptr_t>(memory.data());
    data = memory.data() + (64 - address % 64) + 64 + offset;
  }
  void ExpectGuarded() const {
    for (const uint8_t* p = memory.data(); p < data; ++p) ASSERT_EQ(*p, 0xee);
    for (const uint8_t* p = data + bytes; p < memory.data() + memory.size(); ++p)
      ASSERT_EQ(*p, 0xee);
  }
  std::vector<uint8_t> memory;
  int64_t bytes;
  uint8_t* data;
};

constexpr int64_t kSizes[] = {0, 1, 3, 63, 64, 65, 127, 128, 200, 4095, 4096, 4097, 9000};

TEST(StreamCopy, CopiesAnyNumberOfBytesToAnyPlace) {
  for (const int64_t offset : {0, 1, 4, 8, 63}) {
    for (const int64_t bytes : kSizes) {
      std::vector<uint8_t> source(static_cast<size_t>(bytes));
      for (size_t i = 0; i < source.size(); ++i) source[i] = static_cast<uint8_t>(i * 7 + 1);
      Destination to(offset, bytes);
      StreamCopy(to.data, source.data(), bytes, offset == 4 ? source.data() : nullptr);
      FlushStreams();
      EXPECT_EQ(std::vector<uint8_t>(to.data, to.data + bytes), source) << offset << " " << bytes;
      to.ExpectGuarded();
    }
  }
}

TEST(StreamFill, RepeatsElementsOfAnySizeAtAnyPlace) {
  const uint8_t element[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  for (const int64_t size : {1, 2, 4, 8, 16}) {
    for (const int64_t offset : {0, 1, 8, 24, 60}) {
      for (const int64_t count : kSizes) {
        Destination to(offset, count * size);
        StreamFill(to.data, element, size, count);
        for (int64_t i = 0; i < count; ++i)
          ASSERT_EQ(std::memcmp(to.data + i * size, element, static_cast<size_t>(size)), 0)
              << size << " " << offset << " " << count << " at " << i;
        to.ExpectGuarded();
      }
    }
  }
}

// Sums of a narrow and a wide source, of which the second is one number: elements [begin, end) at
// any place.
template <class R>
void ExpectBlocksMakeTheResult(int64_t offset, int64_t begin, int64_t end) {
  std::vector<int8_t> narrow(static_cast<size_t>(end));
  std::vector<int64_t> wide(static_cast<size_t>(end));
  for (size_t i = 0; i < narrow.size(); ++i)
    narrow[i] = static_cast<int8_t>(i % 100), wide[i] = i % 23;
  const int64_t one = 1;
  constexpr int64_t kSize = sizeof(R);
  Destination to(offset, end * kSize);
  std::fill(to.data, to.data + begin * kSize, 0xee);
  int64_t next = begin;
  StreamInBlocks(
      to.data, kSize, begin, end, {{narrow.data(), 1}, {&one, 0}, {wide.data(), 8}},
      [&](int64_t first, int64_t n, void* block) {
        EXPECT_EQ(first, next);
        next += n;
        for (int64_t i = first; i < next; ++i) {
          const R sum =
              static_cast<R>(narrow[static_cast<size_t>(i)] + wide[static_cast<size_t>(i)] + one);
          std::memcpy(static_cast<uint8_t*>(block) + (i - first) * kSize, &sum, sizeof(R));
        }
      });
  EXPECT_EQ(next, end);
  for (int64_t i = 0; i < end; ++i) {
    R sum;
    std::memcpy(&sum, to.data + i * kSize, sizeof(R));
    R expected;
    std::memset(&expected, 0xee, sizeof(R));
    if (i >= begin) expected = static_cast<R>(i % 100 + i % 23 + 1);
    ASSERT_EQ(sum, expected) << "element " << i << " of [" << begin << ", " << end << ")";
  }
  to.ExpectGuarded();
}

TEST(StreamInBlocks, MakesEveryElementOnce) {
  for (const int64_t offset : {0, 8, 4, 1}) {  // 4 and 1: no element of 8 bytes begins at a line
    for (const int64_t end : kSizes) {
      for (const int64_t begin : {int64_t{0}, end / 3, end}) {
        ExpectBlocksMakeTheResult<uint8_t>(offset, begin, end);
        ExpectBlocksMakeTheResult<int16_t>(offset, begin, end);
        ExpectBlocksMakeTheResult<int64_t>(offset, begin, end);
      }
    }
  }
}

}  // namespace
}  // namespace headrace
