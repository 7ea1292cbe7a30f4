#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "headrace/kernel/internal/gemm_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/kernel/cpu/float_tile.cpp"
// Arrays of vectors are kept in registers, which SVE's cannot be; later kinds of AVX-512 add
// nothing here.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Memory of a thread that only grows, on a cache line.
#ifndef HEADRACE_KERNEL_CPU_FLOAT_TILE_ONCE
#define HEADRACE_KERNEL_CPU_FLOAT_TILE_ONCE
namespace headrace::internal {
class TileScratch {
 public:
  float* Get(int64_t size) {
    if (size > size_) {
      data_.reset(
          static_cast<float*>(::operator new(static_cast<size_t>(size) * sizeof(float), kLine)));
      size_ = size;
    }
    return data_.get();
  }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(float* data) const { ::operator delete(data, kLine); }
  };
  std::unique_ptr<float, Free> data_;
  int64_t size_ = 0;
};
}  // namespace headrace::internal
#endif

HWY_BEFORE_NAMESPACE();
namespace headrace::internal {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(D()));
// A micro tile holds its sums in registers: with two vectors of columns, 28 of 32, or 12 of 16.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kRows = 14;
#else
constexpr int kRows = 6;
#endif
constexpr int64_t kWidth = 2 * kLanes;
constexpr int64_t kDepth = kFloatTileDepth;  // of k: a panel of b about fills the first cache
constexpr int kRowsOfB = kFloatRowDepth;     // that a row of c takes up at once
constexpr int64_t kShortSum = 4;  // of k: rows of c at once are then better than micro tiles
// Lanes in which a product of two vectors is summed. It and the order of a row of c, without fused
// multiply-adds, are those of TensorFlow 1.15, whose numbers small networks then have to the bit.
constexpr int64_t kDotLanes = 8;

// Of a lambda that works on vectors of the function around it.
#define HEADRACE_INLINED HWY_ATTR __attribute__((always_inline))

// x * y + sum: fused in products of matrices, in two steps in those of a vector.
template <bool kFused, class V>
HWY_INLINE V AddProduct(V x, V y, V sum) {
  return kFused ? hn::MulAdd(x, y, sum) : hn::Add(sum, hn::Mul(x, y));
}

// f(0), f(1), ... f(N - 1), unrolled.
template <int N, class F>
HWY_INLINE void Repeat(const F& f) {
  [&]<int... I>(std::integer_sequence<int, I...>) HEADRACE_INLINED {
    (f(std::integral_constant<int, I>()), ...);
  }
  (std::make_integer_sequence<int, N>());
}

// `sum` as it is stored at c + at; load(p) gives the numbers at p. `column` is the one of c.
template <class Load>
HWY_INLINE hn::Vec<D> Finished(hn::Vec<D> sum, const FloatFinish& finish, const float* c,
                               int64_t at, int64_t column, const Load& load) {
  const D d;
  if (finish.add) sum = hn::Add(load(c + at), sum);
  if (finish.bias != nullptr) sum = hn::Add(sum, load(finish.bias + column));
  if (finish.relu)
    sum = hn::IfThenElse(hn::Lt(sum, hn::Zero(d)), hn::Zero(d), sum);  // NaN stays NaN
  if (finish.where != nullptr) {
    sum = hn::Mul(
        sum, hn::IfThenElseZero(hn::Gt(load(finish.where + at), hn::Zero(d)), hn::Set(d, 1.0f)));
  }
  if (finish.rate == nullptr) return sum;
  const auto before = load(c + at);
  if (finish.decay != nullptr) sum = hn::Add(sum, hn::Mul(before, hn::Set(d, *finish.decay)));
  return hn::Sub(before, hn::Mul(sum, hn::Set(d, *finish.rate)));
}

// True if there is no more to it than a sum.
bool IsPlain(const FloatFinish& finish) {
  return finish.bias == nullptr && !finish.relu && finish.where == nullptr &&
         finish.rate == nullptr;
}

// Stores some rows of sums, of which `columns` <= width are wanted.
void FinishRows(const float* sums, int64_t rows, int64_t width, float* c, int64_t c_row,
                int64_t columns, const FloatFinish& finish) {
  const D d;
  const auto run = [&](const FloatFinish& f) HEADRACE_INLINED {
    for (int64_t r = 0; r < rows; ++r, sums += width) {
      int64_t j = 0;
      for (; j + kLanes <= columns; j += kLanes) {
        const auto load = [&](const float* at) HEADRACE_INLINED { return hn::LoadU(d, at); };
        hn::StoreU(Finished(hn::LoadU(d, sums + j), f, c, r * c_row + j, j, load), d,
                   c + r * c_row + j);
      }
      if (j == columns) continue;
      const auto mask = hn::FirstN(d, static_cast<size_t>(columns - j));
      const auto load = [&](const float* at)
                            HEADRACE_INLINED { return hn::MaskedLoad(mask, d, at); };
      hn::BlendedStore(Finished(hn::LoadU(d, sums + j), f, c, r * c_row + j, j, load), mask, d,
                       c + r * c_row + j);
    }
  };
  // Loops of their own for what fusion makes: without tests of each flag for each vector.
  const bool biased = finish.bias != nullptr || finish.relu;
  if (finish.rate != nullptr && finish.where == nullptr && !biased) {
    run({.decay = finish.decay, .rate = finish.rate});
  } else if (finish.where != nullptr && finish.rate == nullptr && !biased && !finish.add) {
    run({.where = finish.where});
  } else if (finish.where == nullptr && finish.rate == nullptr) {
    run({.add = finish.add, .bias = finish.bias, .relu = finish.relu});
  } else {
    run(finish);
  }
}

// The finish of the part of a tile that begins `at` numbers further, in column `column`.
FloatFinish Moved(const FloatFinish& finish, int64_t at, int64_t column) {
  FloatFinish moved = finish;
  if (moved.bias != nullptr) moved.bias += column;
  if (moved.where != nullptr) moved.where += at;
  return moved;
}

// The finish of some of the terms of a sum: all but the last terms are only added up.
FloatFinish OfTerms(const FloatFinish& finish, bool first, bool last) {
  FloatFinish made = last ? finish : FloatFinish{};
  made.add = finish.add || !first;
  return made;
}

// R rows and V vectors of columns of c, of which the last may be cut off after `columns`. The panel
// of b has rows of V whole vectors. Element (r, p) of a is at a[r * step + p] if kByRows, else at
// a[p * step + r].
template <int R, int V, bool kByRows>
void MicroTile(const float* HWY_RESTRICT a, int64_t step, const float* HWY_RESTRICT b,
               int64_t b_row, int64_t depth, float* HWY_RESTRICT c, int64_t c_row, int64_t columns,
               const FloatFinish& finish) {
  const D d;
  hn::Vec<D> sums[R][V];
  Repeat<R>([&](auto r) HEADRACE_INLINED {
    Repeat<V>([&](auto v) HEADRACE_INLINED { sums[r][v] = hn::Zero(d); });
  });
  // What another core wrote last takes its time to come: c, and b some rows ahead.
  if (finish.add || finish.rate != nullptr) {
    Repeat<R>([&](auto r) HEADRACE_INLINED {
      Repeat<V>([&](auto v) HEADRACE_INLINED { hwy::Prefetch(c + r * c_row + v * kLanes); });
      hwy::Prefetch(c + r * c_row + V * kLanes - 1);
    });
  }
  constexpr int kAhead = 20;
  // Three rows a pointer: with x86's scaled index that takes few registers.
  constexpr int kPointers = kByRows ? (R + 2) / 3 : 1;
  const float* rows[kPointers];
  Repeat<kPointers>([&](auto g) HEADRACE_INLINED { rows[g] = a + 3 * g * step; });
  for (int64_t p = 0; p < depth; ++p) {
    hn::Vec<D> bs[V];
    Repeat<V>([&](auto v) HEADRACE_INLINED {
      bs[v] = hn::LoadU(d, b + v * kLanes);
      hwy::Prefetch(b + kAhead * b_row + v * kLanes);
    });
    hwy::Prefetch(b + kAhead * b_row + V * kLanes - 1);
    Repeat<R>([&](auto r) HEADRACE_INLINED {
      const auto x = hn::Set(d, kByRows ? rows[r / 3][(r % 3) * step] : rows[0][r]);
      Repeat<V>([&](auto v)
                    HEADRACE_INLINED { sums[r][v] = AddProduct<(R > 1)>(x, bs[v], sums[r][v]); });
    });
    b += b_row;
    Repeat<kPointers>([&](auto g) HEADRACE_INLINED { rows[g] += kByRows ? 1 : step; });
  }
  if (IsPlain(finish) && columns == V * kLanes) {
    if (finish.add) {
      Repeat<R>([&](auto r) HEADRACE_INLINED {
        Repeat<V>([&](auto v) HEADRACE_INLINED {
          sums[r][v] = hn::Add(hn::LoadU(d, c + r * c_row + v * kLanes), sums[r][v]);
        });
      });
    }
    Repeat<R>([&](auto r) HEADRACE_INLINED {
      Repeat<V>([&](auto v)
                    HEADRACE_INLINED { hn::StoreU(sums[r][v], d, c + r * c_row + v * kLanes); });
    });
    return;
  }
  alignas(64) float stored[R * V * kLanes];
  Repeat<R>([&](auto r) HEADRACE_INLINED {
    Repeat<V>([&](auto v)
                  HEADRACE_INLINED { hn::Store(sums[r][v], d, stored + (r * V + v) * kLanes); });
  });
  FinishRows(stored, R, V * kLanes, c, c_row, columns, finish);
}

using MicroFn = void (*)(const float*, int64_t, const float*, int64_t, int64_t, float*, int64_t,
                         int64_t, const FloatFinish&);
template <int V, bool kByRows, int... I>
constexpr std::array<MicroFn, kRows + 1> MicroTable(std::integer_sequence<int, I...>) {
  return {nullptr, MicroTile<I + 1, V, kByRows>...};
}
template <int V, bool kByRows>
constexpr std::array<MicroFn, kRows + 1> kMicroTiles =
    MicroTable<V, kByRows>(std::make_integer_sequence<int, kRows>());

#if HWY_TARGET != HWY_SCALAR
// Blocks of four numbers from at[0], at[4 * row], at[8 * row] ... as one vector.
template <class V>
HWY_INLINE hn::Vec<V> LoadBlocks(V d, const float* const* at, int64_t p) {
  if constexpr (hn::MaxLanes(V()) == 4) {
    return hn::LoadU(d, at[0] + p);
  } else {
    const hn::Half<V> half;
    return hn::Combine(d, LoadBlocks(half, at + hn::MaxLanes(half), p), LoadBlocks(half, at, p));
  }
}
#endif

// to[p * width + l] = from[l * row + p] for l in [0, count), anything up to width, which is whole
// vectors.
void PackTransposed(const float* from, int64_t row, int64_t count, int64_t depth, int64_t width,
                    float* to) {
#if HWY_TARGET != HWY_SCALAR
  const D d;
  for (int64_t l = 0; depth >= 4 && l < width; l += kLanes) {
    const float* at[kLanes];
    for (int64_t i = 0; i < kLanes; ++i) at[i] = from + std::min(l + i, count - 1) * row;
    for (int64_t p = 0;;) {
      const auto x0 = LoadBlocks(d, at, p), x1 = LoadBlocks(d, at + 1, p);
      const auto x2 = LoadBlocks(d, at + 2, p), x3 = LoadBlocks(d, at + 3, p);
      const auto a = hn::InterleaveLower(d, x0, x2), b = hn::InterleaveLower(d, x1, x3);
      const auto c = hn::InterleaveUpper(d, x0, x2), e = hn::InterleaveUpper(d, x1, x3);
      float* out = to + p * width + l;
      hn::StoreU(hn::InterleaveLower(d, a, b), d, out);
      hn::StoreU(hn::InterleaveUpper(d, a, b), d, out + width);
      hn::StoreU(hn::InterleaveLower(d, c, e), d, out + 2 * width);
      hn::StoreU(hn::InterleaveUpper(d, c, e), d, out + 3 * width);
      if (p == depth - 4) break;
      p = std::min(p + 4, depth - 4);
    }
  }
  if (depth >= 4) return;
#endif
  for (int64_t p = 0; p < depth; ++p) {
    for (int64_t l = 0; l < width; ++l) to[p * width + l] = from[std::min(l, count - 1) * row + p];
  }
}

// to[p * width + l] = from[p * row + l] for l in [0, count), 0 up to width, which is whole vectors.
void PackRows(const float* from, int64_t row, int64_t count, int64_t depth, int64_t width,
              float* to) {
  const D d;
  for (int64_t p = 0; p < depth; ++p, from += row, to += width) {
    for (int64_t l = 0; l < width; l += kLanes) {
      const auto v =
          l + kLanes <= count
              ? hn::LoadU(d, from + l)
              : hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count - l)), d, from + l);
      hn::StoreU(v, d, to + l);
    }
  }
}

// c[0, n) of one row, from Q rows of b. Without kFused, what c holds comes first in the sum.
template <int Q, bool kFused>
void RowUpdate(const float* HWY_RESTRICT a, int64_t a_step, const float* HWY_RESTRICT b,
               int64_t b_row, float* HWY_RESTRICT c, int64_t n, const FloatFinish& finish) {
  const D d;
  hn::Vec<D> x[Q];
  Repeat<Q>([&](auto q) HEADRACE_INLINED { x[q] = hn::Set(d, a[q * a_step]); });
  const bool starts_with_c = !kFused && finish.add;
  FloatFinish rest = finish;
  if (!kFused) rest.add = false;
  const auto row = [&](auto finished) HEADRACE_INLINED {
    const auto one = [&](int64_t j, auto load) HEADRACE_INLINED {
      auto sum = hn::Mul(x[0], load(b + j));
      if (starts_with_c) sum = hn::Add(load(c + j), sum);
      Repeat<Q - 1>([&](auto q) HEADRACE_INLINED {
        sum = AddProduct<kFused>(x[q + 1], load(b + (q + 1) * b_row + j), sum);
      });
      return finished(sum, j, load);
    };
    const auto part = [&](int64_t j, int64_t columns) HEADRACE_INLINED {
      const auto mask = hn::FirstN(d, static_cast<size_t>(columns));
      const auto load = [&](const float* at)
                            HEADRACE_INLINED { return hn::MaskedLoad(mask, d, at); };
      hn::BlendedStore(one(j, load), mask, d, c + j);
    };
    // From the first whole cache line on: a store across two costs twice as much.
    int64_t j = static_cast<int64_t>((-reinterpret_cast<uintptr_t>(c) % (kLanes * sizeof(float))) /
                                     sizeof(float));
    if (j > 0) part(0, std::min(j, n));
    for (; j + kLanes <= n; j += kLanes) {
      if constexpr (Q == kRowsOfB) {
        Repeat<Q>([&](auto q) HEADRACE_INLINED { hwy::Prefetch(b + (Q + q) * b_row + j); });
      }
      const auto load = [&](const float* at) HEADRACE_INLINED { return hn::LoadU(d, at); };
      hn::StoreU(one(j, load), d, c + j);
    }
    if (j < n) part(j, n - j);
  };
  if (IsPlain(rest) && !rest.add) {
    row([](auto sum, int64_t, const auto&) HEADRACE_INLINED { return sum; });
  } else {
    row([&](auto sum, int64_t j, const auto& load)
            HEADRACE_INLINED { return Finished(sum, rest, c, j, j, load); });
  }
}

using RowFn = void (*)(const float*, int64_t, const float*, int64_t, float*, int64_t,
                       const FloatFinish&);
template <bool kFused, int... I>
constexpr std::array<RowFn, kRowsOfB + 1> RowTable(std::integer_sequence<int, I...>) {
  return {nullptr, RowUpdate<I + 1, kFused>...};
}
template <bool kFused>
constexpr std::array<RowFn, kRowsOfB + 1> kRowUpdates =
    RowTable<kFused>(std::make_integer_sequence<int, kRowsOfB>());

// Row by row: for one row, or few rows of b.
void RunRows(const FloatTile& t) {
  const int64_t step = t.transpose_a ? t.a_row : 1, next = t.transpose_a ? 1 : t.a_row;
  const auto& table = t.m > 1 ? kRowUpdates<true> : kRowUpdates<false>;
  for (int64_t i = 0; i < t.m; ++i) {
    for (int64_t p = 0; p < t.k; p += kRowsOfB) {
      const int64_t rows = std::min<int64_t>(kRowsOfB, t.k - p);
      table[rows](t.a + i * next + p * step, step, t.b + p * t.b_row, t.b_row,
                        t.c + i * t.c_row, t.n,
                        OfTerms(Moved(t.finish, i * t.c_row, 0), p == 0, p + rows == t.k));
    }
  }
}

// c[j] for Q rows of a transposed b: in lanes, then what is left over.
template <int Q>
void DotRows(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, int64_t b_row, int64_t k,
             float* HWY_RESTRICT c, const FloatFinish& finish) {
  const hn::CappedTag<float, kDotLanes> d;
  constexpr int64_t kStep = static_cast<int64_t>(hn::MaxLanes(d));
  constexpr int kParts = kDotLanes / kStep;
  hn::Vec<decltype(d)> sums[Q][kParts];
  Repeat<Q>([&](auto q) HEADRACE_INLINED {
    Repeat<kParts>([&](auto v) HEADRACE_INLINED { sums[q][v] = hn::Zero(d); });
  });
  int64_t p = 0;
  for (; p + kDotLanes <= k; p += kDotLanes) {
    Repeat<kParts>([&](auto v) HEADRACE_INLINED {
      const auto x = hn::LoadU(d, a + p + v * kStep);
      Repeat<Q>([&](auto q) HEADRACE_INLINED {
        sums[q][v] =
            AddProduct<false>(x, hn::LoadU(d, b + q * b_row + p + v * kStep), sums[q][v]);
      });
    });
  }
  alignas(64) float lanes[Q][kDotLanes];
  Repeat<Q>([&](auto q) HEADRACE_INLINED {
    Repeat<kParts>(
        [&](auto v) HEADRACE_INLINED { hn::Store(sums[q][v], d, lanes[q] + v * kStep); });
  });
  // FinishRows reads whole vectors.
  alignas(64) float dots[Q > kLanes ? Q : kLanes] = {};
  for (int q = 0; q < Q; ++q) {
    const float* x = lanes[q];
    dots[q] = ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
    for (int64_t rest = p; rest < k; ++rest) dots[q] += a[rest] * b[q * b_row + rest];
  }
  FinishRows(dots, 1, Q, c, 0, Q, finish);
}

void RunDots(const FloatTile& t, const float* a) {
  constexpr int kAtOnce = 8;
  int64_t j = 0;
  const auto run = [&](auto dots) {
    dots(a, t.b + j * t.b_row, t.b_row, t.k, t.c + j, Moved(t.finish, j, j));
  };
  for (; j + kAtOnce <= t.n; j += kAtOnce) run(DotRows<kAtOnce>);
  for (; j < t.n; ++j) run(DotRows<1>);
}

// Rows of a tile are shared out evenly among micro tiles.
struct Panels {
  explicit Panels(int64_t m) : count((m + kRows - 1) / kRows), rows(m / count), longer(m % count) {}
  int64_t begin(int64_t i) const { return i * rows + std::min(i, longer); }
  int64_t size(int64_t i) const { return rows + (i < longer ? 1 : 0); }
  int64_t count, rows, longer;
};

// Rows that lie a multiple of 2 KB apart share few sets of the first cache.
bool Collide(int64_t row) {
  return row % 512 == 0;
}

void RunPanels(const FloatTile& t) {
  thread_local TileScratch scratch;
  const Panels panels(t.m);
  const int64_t blocks = (t.k + kDepth - 1) / kDepth, most = (t.k + blocks - 1) / blocks;
  const bool pack = t.transpose_b || (Collide(t.b_row) && panels.count >= 4);
  float* packed = scratch.Get(kWidth * most);
  for (int64_t p0 = 0; p0 < t.k; p0 += most) {
    const int64_t depth = std::min(most, t.k - p0);
    for (int64_t j = 0; j < t.n; j += kWidth) {
      const int64_t columns = std::min(kWidth, t.n - j);
      const int64_t width = columns <= kLanes ? kLanes : kWidth;
      const float* b = t.b + p0 * t.b_row + j;
      int64_t b_row = t.b_row;
      if (t.transpose_b) {
        PackTransposed(t.b + j * t.b_row + p0, t.b_row, columns, depth, width, packed);
        b = packed, b_row = width;
      } else if (pack || columns < width) {
        PackRows(b, t.b_row, columns, depth, width, packed);
        b = packed, b_row = width;
      }
      const FloatFinish terms = OfTerms(t.finish, p0 == 0, p0 + depth == t.k);
      const auto& table = width == kWidth
                              ? (t.transpose_a ? kMicroTiles<2, false> : kMicroTiles<2, true>)
                              : (t.transpose_a ? kMicroTiles<1, false> : kMicroTiles<1, true>);
      for (int64_t i = 0; i < panels.count; ++i) {
        const int64_t row = panels.begin(i);
        const float* a = t.transpose_a ? t.a + p0 * t.a_row + row : t.a + row * t.a_row + p0;
        table[panels.size(i)](a, t.a_row, b, b_row, depth, t.c + row * t.c_row + j, t.c_row,
                              columns, Moved(terms, row * t.c_row + j, j));
      }
    }
  }
}

void FloatTileImpl(const FloatTile& t) {
  if (!t.transpose_b && (t.m == 1 || t.k <= kShortSum)) return RunRows(t);
  // Shorter ones are the same in panels: one row is summed in order.
  if (t.transpose_b && t.m == 1 && t.k >= kDotLanes && (!t.transpose_a || t.a_row == 1))
    return RunDots(t, t.a);
  RunPanels(t);
}

int64_t FloatTileColumnsImpl() {
  return kWidth;
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace::internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace::internal {

HWY_EXPORT(FloatTileImpl);
HWY_EXPORT(FloatTileColumnsImpl);

void RunFloatTile(const FloatTile& tile) {
  HWY_DYNAMIC_DISPATCH(FloatTileImpl)(tile);
}
int64_t FloatTileColumns() {
  return HWY_DYNAMIC_DISPATCH(FloatTileColumnsImpl)();
}

}  // namespace headrace::internal
#endif  // HWY_ONCE
