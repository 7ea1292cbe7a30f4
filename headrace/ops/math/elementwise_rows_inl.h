// Loops of element-wise functions from functors of single elements, for files that define kernels.
//
//   UnaryRow row = UnaryRowOf<fn::Neg, kIndexTypes>(type);        // null outside the set
//   BinaryRow row = BinaryRowOf<fn::Add, kNumberTypes>(type);
#pragma once

#include "headrace/ops/math/elementwise.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {

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
  DispatchDType<kTypes>(type, [&]<class T>() { row = UnaryLoop<T, F>; });
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
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = F{}(first_a, b_step != 0 ? b[i] : first_b);
    }
  }
  return kRowOk;
}

template <class F, DTypeSet kTypes>
BinaryRow BinaryRowOf(DType type) {
  BinaryRow row = nullptr;
  DispatchDType<kTypes>(type, [&]<class T>() { row = BinaryLoop<T, F>; });
  return row;
}

}  // namespace headrace
