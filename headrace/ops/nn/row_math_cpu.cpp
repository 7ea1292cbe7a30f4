#include "headrace/ops/nn/row_math.h"

#include <limits>

#include "headrace/ops/nn/activation_functors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/nn/row_math_cpu.cpp"
#define HWY_DISABLED_TARGETS HWY_SSSE3
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

// Partial results of a reduction; the compiler keeps them in vector registers.
constexpr int kLanes = 32;

// Folds f over x[0, n): lane i % kLanes first, then the lanes by halves.
template <class T, class F, class Join>
T Reduce(int64_t n, T initial, F f, Join join) {
  if (n < kLanes) {
    T result = initial;
    for (int64_t i = 0; i < n; ++i) result = join(result, f(i));
    return result;
  }
  T lanes[kLanes];
  for (int j = 0; j < kLanes; ++j) lanes[j] = initial;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (int j = 0; j < kLanes; ++j) lanes[j] = join(lanes[j], f(i + j));
  }
  for (int j = 0; i + j < n; ++j) lanes[j] = join(lanes[j], f(i + j));
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lanes[j] = join(lanes[j], lanes[j + width]);
  }
  return lanes[0];
}

template <class T>
struct Plus {
  T operator()(T a, T b) const { return a + b; }
};

template <class T>
T Sum(const T* x, int64_t n) {
  return Reduce<T>(
      n, T(0), [x](int64_t i) { return x[i]; }, Plus<T>());
}

template <class T>
T SumSquares(const T* x, int64_t n) {
  return Reduce<T>(
      n, T(0), [x](int64_t i) { return x[i] * x[i]; }, Plus<T>());
}

template <class T>
T Max(const T* x, int64_t n) {
  return Reduce<T>(
      n, std::numeric_limits<T>::lowest(), [x](int64_t i) { return x[i]; },
      [](T a, T b) { return a < b ? b : a; });
}

template <class T>
T ExpSum(const T* x, T shift, T* y, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = fn::FastExp(x[i] - shift);
  return Sum(y, n);
}

template <class T>
void Scale(const T* x, T factor, T offset, T* y, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * factor + offset;
}

template <class T>
T CrossEntropy(const T* x, const T* labels, T most, T log_sum, T inverse, T* y, int64_t n) {
  const T loss = Reduce<T>(
      n, T(0), [=](int64_t i) { return labels[i] * (log_sum - (x[i] - most)); }, Plus<T>());
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = y[i] * inverse - labels[i];
  return loss;
}

template <int kWidth, class T>
void ColumnTile(const T* x, int64_t rows, int64_t stride, T* out) {
  T sums[kWidth] = {};
  for (int64_t r = 0; r < rows; ++r, x += stride) {
    for (int j = 0; j < kWidth; ++j) sums[j] += x[j];
  }
  for (int j = 0; j < kWidth; ++j) out[j] = sums[j];
}

template <class T>
void ColumnSums(const T* x, int64_t rows, int64_t columns, int64_t stride, T* out) {
  int64_t c = 0;
  for (; c + 64 <= columns; c += 64) ColumnTile<64>(x + c, rows, stride, out + c);
  for (; c + 16 <= columns; c += 16) ColumnTile<16>(x + c, rows, stride, out + c);
  if (c == columns) return;
  const int64_t rest = columns - c;
  if (rest == columns && stride == columns && rows > 8 && columns <= 8) {
    // Few columns: several rows side by side make one long row.
    const int64_t joined = 64 / columns, width = joined * columns, whole = rows / joined;
    T sums[64] = {};
    for (int64_t r = 0; r < whole; ++r) {
      for (int64_t j = 0; j < width; ++j) sums[j] += x[r * width + j];
    }
    for (int64_t j = 0; j < columns; ++j) {
      T total = 0;
      for (int64_t k = j; k < width; k += columns) total += sums[k];
      for (int64_t r = whole * joined; r < rows; ++r) total += x[r * columns + j];
      out[j] = total;
    }
    return;
  }
  T sums[16] = {};
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < rest; ++j) sums[j] += x[r * stride + c + j];
  }
  for (int64_t j = 0; j < rest; ++j) out[c + j] = sums[j];
}

template <class T>
constexpr RowMath<T> kRowMath = {Sum<T>,   SumSquares<T>,   Max<T>,       ExpSum<T>,
                                 Scale<T>, CrossEntropy<T>, ColumnSums<T>};

const RowMath<float>* FloatRowMath() {
  return &kRowMath<float>;
}
const RowMath<double>* DoubleRowMath() {
  return &kRowMath<double>;
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {

HWY_EXPORT(FloatRowMath);
HWY_EXPORT(DoubleRowMath);

template <>
const RowMath<float>& RowMath<float>::Get() {
  static const RowMath<float>* const best = HWY_DYNAMIC_DISPATCH(FloatRowMath)();
  return *best;
}
template <>
const RowMath<double>& RowMath<double>::Get() {
  static const RowMath<double>* const best = HWY_DYNAMIC_DISPATCH(DoubleRowMath)();
  return *best;
}

}  // namespace headrace
#endif  // HWY_ONCE
