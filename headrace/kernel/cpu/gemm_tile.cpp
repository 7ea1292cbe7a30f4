#include "headrace/kernel/internal/gemm_tile.h"

#include <algorithm>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/kernel/cpu/gemm_tile.cpp"
#define HWY_DISABLED_TARGETS HWY_SSSE3
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace::internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Of a micro tile; with two vectors of columns its sums fill 12 registers.
constexpr int64_t kRows = 6;
constexpr int64_t kDepthBlock = 256;  // of k: a panel of b stays in the first cache
constexpr int64_t kRowBlock = 96;     // of m: the packed block of a stays in the second cache

using D = hn::ScalableTag<double>;

// Copies rows [0, rows) x [0, depth) of a into panels of kRows, the rest of the last panel zero.
void PackA(const DoubleTile& t, int64_t i0, int64_t rows, int64_t p0, int64_t depth,
           double* packed) {
  for (int64_t i = 0; i < rows; i += kRows) {
    const int64_t here = std::min(kRows, rows - i);
    for (int64_t p = 0; p < depth; ++p) {
      const double* from = t.a + (i0 + i) * t.a_row + (p0 + p) * t.a_column;
      for (int64_t r = 0; r < kRows; ++r) *packed++ = r < here ? from[r * t.a_row] : 0.0;
    }
  }
}

// Copies [0, depth) x [0, n) of b into panels of `width` columns, the rest of the last panel zero.
void PackB(const DoubleTile& t, int64_t p0, int64_t depth, int64_t width, double* packed) {
  for (int64_t j = 0; j < t.n; j += width) {
    const int64_t here = std::min(width, t.n - j);
    if (here == width && t.b_column == 1) {
      const D d;
      const int64_t lanes = width / 2;
      for (int64_t p = 0; p < depth; ++p, packed += width) {
        const double* from = t.b + (p0 + p) * t.b_row + j;
        hn::StoreU(hn::LoadU(d, from), d, packed);
        hn::StoreU(hn::LoadU(d, from + lanes), d, packed + lanes);
      }
      continue;
    }
    for (int64_t p = 0; p < depth; ++p) {
      const double* from = t.b + (p0 + p) * t.b_row + j * t.b_column;
      for (int64_t l = 0; l < width; ++l) *packed++ = l < here ? from[l * t.b_column] : 0.0;
    }
  }
}

// sums[kRows][width] = panel of a times panel of b.
void MicroTile(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, int64_t depth,
               double* HWY_RESTRICT sums) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s00 = hn::Zero(d), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00;
  auto s30 = s00, s31 = s00, s40 = s00, s41 = s00, s50 = s00, s51 = s00;
  for (int64_t p = 0; p < depth; ++p, a += kRows, b += 2 * lanes) {
    const auto b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes);
    auto x = hn::Set(d, a[0]), y = hn::Set(d, a[1]);
    s00 = hn::MulAdd(x, b0, s00), s01 = hn::MulAdd(x, b1, s01);
    s10 = hn::MulAdd(y, b0, s10), s11 = hn::MulAdd(y, b1, s11);
    x = hn::Set(d, a[2]), y = hn::Set(d, a[3]);
    s20 = hn::MulAdd(x, b0, s20), s21 = hn::MulAdd(x, b1, s21);
    s30 = hn::MulAdd(y, b0, s30), s31 = hn::MulAdd(y, b1, s31);
    x = hn::Set(d, a[4]), y = hn::Set(d, a[5]);
    s40 = hn::MulAdd(x, b0, s40), s41 = hn::MulAdd(x, b1, s41);
    s50 = hn::MulAdd(y, b0, s50), s51 = hn::MulAdd(y, b1, s51);
  }
  hn::StoreU(s00, d, sums), hn::StoreU(s01, d, sums + lanes);
  hn::StoreU(s10, d, sums + 2 * lanes), hn::StoreU(s11, d, sums + 3 * lanes);
  hn::StoreU(s20, d, sums + 4 * lanes), hn::StoreU(s21, d, sums + 5 * lanes);
  hn::StoreU(s30, d, sums + 6 * lanes), hn::StoreU(s31, d, sums + 7 * lanes);
  hn::StoreU(s40, d, sums + 8 * lanes), hn::StoreU(s41, d, sums + 9 * lanes);
  hn::StoreU(s50, d, sums + 10 * lanes), hn::StoreU(s51, d, sums + 11 * lanes);
}

void DoubleTileImpl(const DoubleTile& t) {
  thread_local std::vector<double> packed_a, packed_b, sums;
  const int64_t width = 2 * static_cast<int64_t>(hn::Lanes(D()));
  const int64_t panels = (t.n + width - 1) / width;
  packed_b.resize(panels * width * std::min(kDepthBlock, t.k));
  packed_a.resize((std::min(kRowBlock, t.m) + kRows) * std::min(kDepthBlock, t.k));
  sums.resize(kRows * width);
  for (int64_t p0 = 0; p0 < t.k; p0 += kDepthBlock) {
    const int64_t depth = std::min(kDepthBlock, t.k - p0);
    const bool add = t.accumulate || p0 > 0;
    PackB(t, p0, depth, width, packed_b.data());
    for (int64_t i0 = 0; i0 < t.m; i0 += kRowBlock) {
      const int64_t rows = std::min(kRowBlock, t.m - i0);
      PackA(t, i0, rows, p0, depth, packed_a.data());
      for (int64_t j = 0; j < t.n; j += width) {
        const int64_t columns = std::min(width, t.n - j);
        for (int64_t i = 0; i < rows; i += kRows) {
          MicroTile(packed_a.data() + i * depth, packed_b.data() + j * depth, depth, sums.data());
          for (int64_t r = 0; r < std::min(kRows, rows - i); ++r) {
            double* to = t.c + (i0 + i + r) * t.c_row + j;
            const double* from = sums.data() + r * width;
            for (int64_t l = 0; l < columns; ++l) to[l] = add ? to[l] + from[l] : from[l];
          }
        }
      }
    }
  }
}

template <class T>
void FinishTileImpl(T* c, int64_t c_row, int64_t m, int64_t n, const T* bias, bool relu) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  for (int64_t i = 0; i < m; ++i, c += c_row) {
    int64_t j = 0;
    for (; j + lanes <= n; j += lanes) {
      auto v = hn::LoadU(d, c + j);
      if (bias != nullptr) v = hn::Add(v, hn::LoadU(d, bias + j));
      if (relu) v = hn::IfThenElse(hn::Lt(v, zero), zero, v);  // NaN stays NaN, and -0 as the op has it
      hn::StoreU(v, d, c + j);
    }
    for (; j < n; ++j) {
      T v = c[j];
      if (bias != nullptr) v += bias[j];
      if (relu && v < 0) v = 0;
      c[j] = v;
    }
  }
}
void FinishFloat(float* c, int64_t c_row, int64_t m, int64_t n, const float* bias, bool relu) {
  FinishTileImpl(c, c_row, m, n, bias, relu);
}
void FinishDouble(double* c, int64_t c_row, int64_t m, int64_t n, const double* bias, bool relu) {
  FinishTileImpl(c, c_row, m, n, bias, relu);
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::internal {

HWY_EXPORT(DoubleTileImpl);
HWY_EXPORT(FinishFloat);
HWY_EXPORT(FinishDouble);

void RunDoubleTile(const DoubleTile& tile) {
  HWY_DYNAMIC_DISPATCH(DoubleTileImpl)(tile);
}
void FinishTile(float* c, int64_t c_row, int64_t m, int64_t n, const float* bias, bool relu) {
  HWY_DYNAMIC_DISPATCH(FinishFloat)(c, c_row, m, n, bias, relu);
}
void FinishTile(double* c, int64_t c_row, int64_t m, int64_t n, const double* bias, bool relu) {
  HWY_DYNAMIC_DISPATCH(FinishDouble)(c, c_row, m, n, bias, relu);
}

}  // namespace headrace::internal
#endif  // HWY_ONCE
