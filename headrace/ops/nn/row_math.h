// Loops over rows of float32 and float64 numbers that softmax, losses and normalisations share,
// compiled for several instruction sets; the best one for this processor is taken at first use.
//
//   const RowMath<float>& rows = RowMath<float>::Get();
//   const float most = rows.max(x, n);
//   const float total = rows.exp_sum(x, most, y, n);         // y = exp(x - most)
//
// Sums are taken in an order that depends on n alone. Pure functions; `y` may be `x`.
#pragma once

#include <cstdint>

namespace headrace {

template <class T>
struct RowMath {
  static const RowMath& Get();

  T (*sum)(const T* x, int64_t n);
  T (*sum_squares)(const T* x, int64_t n);
  // The lowest number when n is 0; passes over NaN.
  T (*max)(const T* x, int64_t n);
  // y = exp(x - shift); the sum of y.
  T (*exp_sum)(const T* x, T shift, T* y, int64_t n);
  // y = x * factor + offset.
  void (*scale)(const T* x, T factor, T offset, T* y, int64_t n);
  // Cross entropy of a row: y holds exp(x - most), whose sum has logarithm `log_sum` and inverse
  // `inverse`. Gives the sum of labels * (log_sum - (x - most)), and y = y * inverse - labels.
  T (*cross_entropy)(const T* x, const T* labels, T most, T log_sum, T inverse, T* y, int64_t n);
  // out[c] = sum over the rows of x[r * stride + c], for c < columns.
  void (*column_sums)(const T* x, int64_t rows, int64_t columns, int64_t stride, T* out);
};

template <>
const RowMath<float>& RowMath<float>::Get();
template <>
const RowMath<double>& RowMath<double>::Get();

}  // namespace headrace
