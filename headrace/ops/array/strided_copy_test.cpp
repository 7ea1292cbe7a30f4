#include "headrace/ops/array/strided_copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "headrace/base/strings.h"
#include "headrace/ops/testing/tensors.h"

namespace headrace {
namespace {

// What StridedCopy promises, one element at a time.
template <class T>
void CopyByElement(const CopyView& view, T* dst, const T* src) {
  std::array<int64_t, kMaxCopyRank> index{};
  int64_t count = 1;
  for (int i = 0; i < view.rank; ++i) count *= view.dims[i];
  for (int64_t n = 0; n < count; ++n) {
    int64_t to = 0, from = 0;
    for (int i = 0; i < view.rank; ++i) {
      to += index[i] * view.dst_strides[i];
      from += index[i] * view.src_strides[i];
    }
    dst[to] = src[from];
    for (int i = view.rank - 1; i >= 0 && ++index[i] == view.dims[i]; --i) index[i] = 0;
  }
}

template <class T>
T Value(int64_t i) {
  if constexpr (std::is_same_v<T, std::string>) {
    return StrCat("element ", i, " is longer than a short string");
  } else {
    return static_cast<T>(i);
  }
}

template <class T>
void ExpectCopied(const CopyView& view, int64_t dst_size, int64_t src_size, int64_t dst_at,
                  int64_t src_at, int threads) {
  Tensor src(kDTypeOf<T>, {src_size}), expected(kDTypeOf<T>, {dst_size});
  for (int64_t i = 0; i < src_size; ++i) src.data<T>()[i] = Value<T>(i);
  std::fill_n(expected.data<T>(), dst_size, Value<T>(99));
  Tensor actual = expected.Clone();
  CopyByElement(view, expected.data<T>() + dst_at, src.data<T>() + src_at);
  WorkerPool workers(threads);
  StridedCopy(workers, kDTypeOf<T>, view, ElementAt(actual, dst_at), ElementAt(src, src_at));
  for (int64_t i = 0; i < dst_size; ++i)
    ASSERT_EQ(actual.data<T>()[i], expected.data<T>()[i]) << "element " << i;
}

// A permutation of dimensions, some reversed and some repeated, into a part of a larger tensor.
template <class T>
void ExpectRandomViewCopied(uint32_t seed, int64_t largest) {
  SCOPED_TRACE(StrCat("seed ", seed, ", ", DTypeName(kDTypeOf<T>)));
  std::mt19937 random(seed);
  const int rank = static_cast<int>(random() % 5) + 1;
  CopyView view;
  std::vector<int> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<int64_t> dims(rank), src_strides(rank);
  for (int64_t& d : dims) d = 1 + static_cast<int64_t>(random() % static_cast<uint32_t>(largest));
  int64_t src_size = 1, src_at = 0, dst_size = 1;
  for (const int d : order) {
    const bool repeated = random() % 8 == 0, reversed = random() % 6 == 0;
    src_strides[d] = repeated ? 0 : reversed ? -src_size : src_size;
    if (repeated) continue;
    if (reversed) src_at += (dims[d] - 1) * src_size;
    src_size *= dims[d];
  }
  std::vector<int64_t> dst_strides(rank);
  for (int d = rank - 1; d >= 0; --d) {
    dst_strides[d] = dst_size;
    dst_size *= dims[d] + static_cast<int64_t>(random() % 3 == 0);
  }
  for (int d = 0; d < rank; ++d) view.Add(dims[d], dst_strides[d], src_strides[d]);
  ExpectCopied<T>(view, dst_size, src_size, 0, src_at, static_cast<int>(random() % 3) + 1);
}

TEST(StridedCopy, CopiesEveryViewOfEverySize) {
  for (uint32_t seed = 0; seed < 120; ++seed) {
    ExpectRandomViewCopied<int8_t>(seed, 7);
    ExpectRandomViewCopied<int16_t>(seed, 7);
    ExpectRandomViewCopied<float>(seed, 7);
    ExpectRandomViewCopied<int64_t>(seed, 7);
    ExpectRandomViewCopied<std::complex<double>>(seed, 6);
    ExpectRandomViewCopied<std::string>(seed, 4);
  }
}

TEST(StridedCopy, TransposesRectanglesOfAnySize) {
  for (const int64_t m : {1, 3, 4, 15, 16, 17, 65, 130}) {
    for (const int64_t n : {1, 2, 4, 5, 63, 64, 66, 129}) {
      CopyView view;
      view.Add(n, m, 1);
      view.Add(m, 1, n);
      ExpectCopied<float>(view, m * n, m * n, 0, 0, 2);
      ExpectCopied<double>(view, m * n, m * n, 0, 0, 2);
      ExpectCopied<uint8_t>(view, m * n, m * n, 0, 0, 1);
    }
  }
}

TEST(StridedCopy, TurnsAroundAndSkips) {
  for (const int64_t n : {1, 2, 7, 16, 33, 100}) {
    CopyView reversed, skipping;
    reversed.Add(3, n, n);
    reversed.Add(n, 1, -1);
    skipping.Add(3, n, 2 * n);
    skipping.Add(n, 1, 2);
    ExpectCopied<uint8_t>(reversed, 3 * n, 3 * n, 0, n - 1, 1);
    ExpectCopied<int16_t>(reversed, 3 * n, 3 * n, 0, n - 1, 1);
    ExpectCopied<float>(reversed, 3 * n, 3 * n, 0, n - 1, 1);
    ExpectCopied<double>(reversed, 3 * n, 3 * n, 0, n - 1, 1);
    ExpectCopied<float>(skipping, 3 * n, 6 * n, 0, 0, 1);
    ExpectCopied<int64_t>(skipping, 3 * n, 6 * n, 0, 0, 1);
    ExpectCopied<std::string>(skipping, 3 * n, 6 * n, 0, 0, 1);
  }
}

TEST(StridedCopy, CopiesWhatIsTooLargeForTheCaches) {
  CopyView view;
  view.Add(4200, 1001, 1000);
  view.Add(1000, 1, 1);
  ExpectCopied<float>(view, 4200 * 1001, 4200 * 1000, 0, 0, 2);
}

TEST(StridedCopy, SharesLongRunsOut) {
  CopyView view;
  view.Add(2, 400'001, 400'000);
  view.Add(400'000, 1, 1);
  ExpectCopied<float>(view, 800'001, 800'000, 0, 0, 3);
}

TEST(StridedCopy, LeavesOutWhatIsEmpty) {
  CopyView view;
  view.Add(3, 1, 0);
  view.Add(0, 1, 1);
  ExpectCopied<float>(view, 4, 1, 0, 0, 1);
}

}  // namespace
}  // namespace headrace
