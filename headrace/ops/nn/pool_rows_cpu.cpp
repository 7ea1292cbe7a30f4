#include "headrace/ops/nn/pool_rows.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "headrace/tensor/float16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/nn/pool_rows_cpu.cpp"
#define HWY_DISABLED_TARGETS HWY_SSSE3
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

// The part of a window that lies in the image.
struct Taps {
  int64_t plane_begin, plane_end, row_begin, row_end, column_begin = 0, column_end = 0;
  int64_t count() const {
    return (plane_end - plane_begin) * (row_end - row_begin) * (column_end - column_begin);
  }

  // Of a row of windows, then of each of its columns.
  Taps(const PoolShape& s, int64_t row) {
    const int64_t front = row / s.h.out * s.d.stride - s.d.pad_before,
                  top = row % s.h.out * s.h.stride - s.h.pad_before;
    plane_begin = std::max<int64_t>(front, 0);
    plane_end = std::min(front + s.d.filter, s.d.in);
    row_begin = std::max<int64_t>(top, 0);
    row_end = std::min(top + s.h.filter, s.h.in);
  }
  void SetColumn(const PoolShape& s, int64_t column) {
    const int64_t left = column * s.w.stride - s.w.pad_before;
    column_begin = std::max<int64_t>(left, 0);
    column_end = std::min(left + s.w.filter, s.w.in);
  }
};

// Calls body(width tag, first channel) for channels in tiles whose width the compiler knows, so
// that a tile's state stays in vector registers; the last few channels one by one.
template <int kWidth>
using Width = std::integral_constant<int, kWidth>;
template <class Body>
inline void ForEachTile(int64_t channels, Body body) {
  int64_t c = 0;
  for (; c + 32 <= channels; c += 32) body(Width<32>(), c);
  for (; c + 8 <= channels; c += 8) body(Width<8>(), c);
  for (; c < channels; ++c) body(Width<1>(), c);
}

// Calls body(offset of the element in the image) for the taps in order of memory.
template <class Body>
inline void ForEachTap(const PoolShape& s, const Taps& taps, Body body) {
  for (int64_t z = taps.plane_begin; z < taps.plane_end; ++z) {
    for (int64_t i = taps.row_begin; i < taps.row_end; ++i) {
      for (int64_t j = taps.column_begin; j < taps.column_end; ++j)
        body(((z * s.h.in + i) * s.w.in + j) * s.channels);
    }
  }
}

template <class T>
constexpr T Lowest() {
  if constexpr (std::is_same_v<T, Half>) {
    return Half::FromBits(0xfbff);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return BFloat16::FromBits(0xff7f);
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

template <class T>
void MaxRow(const PoolShape& s, const T* image, int64_t row, T* out) {
  Taps taps(s, row);
  for (int64_t column = 0; column < s.w.out; ++column, out += s.channels) {
    taps.SetColumn(s, column);
    ForEachTile(s.channels, [&]<class W>(W, int64_t c) {
      T best[W::value];
      for (int k = 0; k < W::value; ++k) best[k] = Lowest<T>();
      ForEachTap(s, taps, [&](int64_t at) {
        const T* x = image + at + c;
        for (int k = 0; k < W::value; ++k) best[k] = best[k] < x[k] ? x[k] : best[k];
      });
      for (int k = 0; k < W::value; ++k) out[c + k] = best[k];
    });
  }
}

// Which tap of each window is the largest: the first of equal ones; a NaN only where it comes
// first.
template <class T>
using TapIndex = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
template <int kWidth, class T>
inline void FindLargest(const PoolShape& s, const Taps& taps, const T* image, TapIndex<T>* index) {
  T best[kWidth] = {};
  TapIndex<T> tap = 0;
  ForEachTap(s, taps, [&](int64_t at) {
    const T* x = image + at;
    if (tap == 0) {
      for (int k = 0; k < kWidth; ++k) best[k] = x[k];
      for (int k = 0; k < kWidth; ++k) index[k] = 0;
    } else {
      for (int k = 0; k < kWidth; ++k) {
        const bool larger = best[k] < x[k];
        best[k] = larger ? x[k] : best[k];
        index[k] = larger ? tap : index[k];
      }
    }
    ++tap;
  });
}

template <bool kTiles, class T>
void MaxGradRowImpl(const PoolShape& s, const T* image, int64_t row, const T* grad, T* image_grad) {
  Taps taps(s, row);
  for (int64_t column = 0; column < s.w.out; ++column, grad += s.channels) {
    taps.SetColumn(s, column);
    ForEachTile(s.channels, [&]<class W>(W, int64_t c) {
      TapIndex<T> index[W::value] = {};
      FindLargest<W::value>(s, taps, image + c, index);
      TapIndex<T> tap = 0;
      ForEachTap(s, taps, [&](int64_t at) {
        T* to = image_grad + at + c;
        for (int k = 0; k < W::value; ++k) {
          const T part = index[k] == tap ? grad[c + k] : T(0);
          if constexpr (kTiles) {
            to[k] = part;
          } else {
            to[k] += part;
          }
        }
        ++tap;
      });
    });
  }
}

template <class T>
void MaxGradRow(const PoolShape& s, const T* image, int64_t row, const T* grad, T* image_grad) {
  s.tiles() ? MaxGradRowImpl<true>(s, image, row, grad, image_grad)
            : MaxGradRowImpl<false>(s, image, row, grad, image_grad);
}

template <class T>
void MaxGradEqualRow(const PoolShape& s, const T* image, int64_t row, const T* pooled,
                     const T* grad, T* image_grad) {
  Taps taps(s, row);
  for (int64_t column = 0; column < s.w.out; ++column, pooled += s.channels, grad += s.channels) {
    taps.SetColumn(s, column);
    ForEachTile(s.channels, [&]<class W>(W, int64_t c) {
      ForEachTap(s, taps, [&](int64_t at) {
        const T* x = image + at + c;
        T* to = image_grad + at + c;
        for (int k = 0; k < W::value; ++k) to[k] += x[k] == pooled[c + k] ? grad[c + k] : T(0);
      });
    });
  }
}

template <class T>
void MaxPickRow(const PoolShape& s, const T* image, int64_t row, const T* image_grad, T* out) {
  Taps taps(s, row);
  for (int64_t column = 0; column < s.w.out; ++column, out += s.channels) {
    taps.SetColumn(s, column);
    ForEachTile(s.channels, [&]<class W>(W, int64_t c) {
      TapIndex<T> index[W::value] = {};
      FindLargest<W::value>(s, taps, image + c, index);
      TapIndex<T> tap = 0;
      T picked[W::value] = {};
      ForEachTap(s, taps, [&](int64_t at) {
        const T* from = image_grad + at + c;
        for (int k = 0; k < W::value; ++k) picked[k] = index[k] == tap ? from[k] : picked[k];
        ++tap;
      });
      for (int k = 0; k < W::value; ++k) out[c + k] = picked[k];
    });
  }
}

// 16-bit floats are summed in float32.
template <class T>
using Accumulator = std::conditional_t<sizeof(T) == 2, float, T>;

template <class T>
void MeanRow(const PoolShape& s, const T* image, int64_t row, T* out) {
  using A = Accumulator<T>;
  Taps taps(s, row);
  for (int64_t column = 0; column < s.w.out; ++column, out += s.channels) {
    taps.SetColumn(s, column);
    const A count = static_cast<A>(taps.count());
    ForEachTile(s.channels, [&]<class W>(W, int64_t c) {
      A sum[W::value] = {};
      ForEachTap(s, taps, [&](int64_t at) {
        const T* x = image + at + c;
        for (int k = 0; k < W::value; ++k) sum[k] += static_cast<A>(x[k]);
      });
      for (int k = 0; k < W::value; ++k) out[c + k] = static_cast<T>(sum[k] / count);
    });
  }
}

template <class T>
void MeanGradRow(const PoolShape& s, int64_t row, const T* grad, T* image_grad) {
  using A = Accumulator<T>;
  Taps taps(s, row);
  for (int64_t column = 0; column < s.w.out; ++column, grad += s.channels) {
    taps.SetColumn(s, column);
    const A count = static_cast<A>(taps.count());
    ForEachTile(s.channels, [&]<class W>(W, int64_t c) {
      T part[W::value];
      for (int k = 0; k < W::value; ++k)
        part[k] = static_cast<T>(static_cast<A>(grad[c + k]) / count);
      ForEachTap(s, taps, [&](int64_t at) {
        T* to = image_grad + at + c;
        for (int k = 0; k < W::value; ++k) to[k] += part[k];
      });
    });
  }
}

template <class T>
PoolRows<T> RowsOf() {
  PoolRows<T> rows{MaxRow<T>, MaxGradRow<T>, MaxGradEqualRow<T>, MaxPickRow<T>, nullptr, nullptr};
  if constexpr (!std::is_integral_v<T>) {
    rows.mean = MeanRow<T>;
    rows.mean_grad = MeanGradRow<T>;
  }
  return rows;
}

PoolRows<float> FloatPoolRows() {
  return RowsOf<float>();
}
PoolRows<double> DoublePoolRows() {
  return RowsOf<double>();
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {

HWY_EXPORT(FloatPoolRows);
HWY_EXPORT(DoublePoolRows);

template <class T>
const PoolRows<T>& PoolRows<T>::Get() {
  static const PoolRows<T> rows = [] {
    if constexpr (std::is_same_v<T, float>) {
      return HWY_DYNAMIC_DISPATCH(FloatPoolRows)();
    } else if constexpr (std::is_same_v<T, double>) {
      return HWY_DYNAMIC_DISPATCH(DoublePoolRows)();
    } else {
      return HWY_STATIC_DISPATCH(RowsOf)<T>();
    }
  }();
  return rows;
}

template struct PoolRows<float>;
template struct PoolRows<double>;
template struct PoolRows<Half>;
template struct PoolRows<BFloat16>;
template struct PoolRows<int8_t>;
template struct PoolRows<int16_t>;
template struct PoolRows<int32_t>;
template struct PoolRows<int64_t>;
template struct PoolRows<uint8_t>;
template struct PoolRows<uint16_t>;

}  // namespace headrace
#endif  // HWY_ONCE
