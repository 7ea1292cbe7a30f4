// Loops of element-wise functions from functors of single elements, for files that define kernels.
// The compiler makes vectors of them. A file that is compiled for several instruction sets (see
// hwy/foreach_target.h) gets loops for each; others get those of the baseline:
//
//   namespace rows = HWY_NAMESPACE;
//   UnaryRow row = rows::UnaryRowOf<fn::Neg, kSignedIndex>(type);        // null outside the set
//   BinaryRow row = rows::BinaryRowOf<fn::Add, kNumberTypes>(type);
//
// Included once for each instruction set, so there is no #pragma once.
#if defined(HEADRACE_OPS_MATH_ELEMENTWISE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_OPS_MATH_ELEMENTWISE_ROWS_INL_H_
#undef HEADRACE_OPS_MATH_ELEMENTWISE_ROWS_INL_H_
#else
#define HEADRACE_OPS_MATH_ELEMENTWISE_ROWS_INL_H_
#endif

#include "headrace/ops/math/elementwise.h"
#include "headrace/tensor/dispatch.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace {

// Bools as the bytes 0 and 1, which compilers vectorise.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

template <class T, class F>
void UnaryLoop(const void* x_data, void* y_data, int64_t n) {
  using R = decltype(F{}(T{}));
  const T* x = static_cast<const T*>(x_data);
  R* y = static_cast<R*>(y_data);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = F{}(x[i]);
}

template <class F, DTypeSet kTypes>
UnaryRow UnaryRowOf(DType type) {
  UnaryRow row = nullptr;
  DispatchDType<kTypes>(type, [&]<class T>() { row = UnaryLoop<Stored<T>, F>; });
  return row;
}

template <class T, class F>
uint32_t BinaryLoop(const void* a_data, int64_t a_step, const void* b_data, int64_t b_step,
                    void* out, int64_t n) {
  using R = decltype(F{}(T{}, T{}));
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  R* y = static_cast<R*>(out);
  if (a_step != 0 && b_step != 0) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) y[i] = F{}(a[i], b[i]);
  } else if (n > 0) {
    const T first_a = *a, first_b = *b;  // `out` may be written over them
    if (a_step != 0) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) y[i] = F{}(a[i], first_b);
    } else if (b_step != 0) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) y[i] = F{}(first_a, b[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = F{}(first_a, first_b);
    }
  }
  return kRowOk;
}

template <class F, DTypeSet kTypes>
BinaryRow BinaryRowOf(DType type) {
  BinaryRow row = nullptr;
  DispatchDType<kTypes>(type, [&]<class T>() { row = BinaryLoop<Stored<T>, F>; });
  return row;
}

// For functions that are not defined for some b: those elements are left, and reported.
template <class T, class F, uint32_t kError>
uint32_t CheckedLoop(const void* a_data, int64_t a_step, const void* b_data, int64_t b_step,
                     void* out, int64_t n) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* y = static_cast<T*>(out);
  uint32_t error = kRowOk;
  for (int64_t i = 0; i < n; ++i) {
    const T divisor = b[i * b_step];
    if (kError == kZeroDivisor ? divisor == T(0) : divisor < T(0)) {
      error = kError;
      y[i] = T(0);
    } else {
      y[i] = F{}(a[i * a_step], divisor);
    }
  }
  return error;
}

// `kInts` by CheckedLoop, `kOthers` by BinaryLoop.
template <class F, DTypeSet kInts, uint32_t kError, DTypeSet kOthers = DTypeSet()>
BinaryRow CheckedRowOf(DType type) {
  BinaryRow row = BinaryRowOf<F, kOthers>(type);
  DispatchDType<kInts>(type, [&]<class T>() { row = CheckedLoop<T, F, kError>; });
  return row;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#endif
