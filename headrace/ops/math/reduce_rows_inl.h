// The loops behind ReduceRows. Included once for each instruction set (see hwy/foreach_target.h),
// so there is no #pragma once.
#if defined(HEADRACE_OPS_MATH_REDUCE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_OPS_MATH_REDUCE_ROWS_INL_H_
#undef HEADRACE_OPS_MATH_REDUCE_ROWS_INL_H_
#else
#define HEADRACE_OPS_MATH_REDUCE_ROWS_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/reduce_rows.h"
#include "headrace/tensor/dispatch.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace {

template <class T>
inline constexpr bool kIs16 = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class T>
using Accumulator = std::conditional_t<kIs16<T>, float, T>;

// An element as what is joined: itself, or its square for the Euclidean norm.
template <class Op, class A, class T>
A Load(T x) {
  if constexpr (requires { Op::Square(A()); }) {
    return Op::Square(static_cast<A>(x));
  } else {
    return static_cast<A>(x);
  }
}

// What joins two accumulators, and the accumulator of nothing.
struct Sum {
  template <class A>
  static A Nothing() {
    return A(0);
  }
  template <class A>
  static A Join(A a, A b) {
    return fn::Add{}(a, b);
  }
};
struct SumOfSquares : Sum {
  template <class A>
  static A Square(A x) {
    return fn::SquaredDifference{}(x, A(0));
  }
};
struct Prod {
  template <class A>
  static A Nothing() {
    return A(1);
  }
  template <class A>
  static A Join(A a, A b) {
    return fn::Mul{}(a, b);
  }
};
struct Max {
  template <class A>
  static A Nothing() {
    return std::numeric_limits<A>::has_infinity ? -std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::lowest();
  }
  template <class A>
  static A Join(A a, A b) {
    return a < b ? b : a;  // NaN in b is passed over, and a is never NaN
  }
};
struct Min {
  template <class A>
  static A Nothing() {
    return std::numeric_limits<A>::has_infinity ? std::numeric_limits<A>::infinity()
                                                : std::numeric_limits<A>::max();
  }
  template <class A>
  static A Join(A a, A b) {
    return b < a ? b : a;
  }
};
struct All {
  template <class A>
  static A Nothing() {
    return true;
  }
  template <class A>
  static A Join(A a, A b) {
    return a & b;
  }
};
struct Any {
  template <class A>
  static A Nothing() {
    return false;
  }
  template <class A>
  static A Join(A a, A b) {
    return a | b;
  }
};

template <class T, class A, class Op>
struct Loops {
  static void Init(void* acc, int64_t n) {
    std::fill_n(static_cast<A*>(acc), n, Op::template Nothing<A>());
  }

  // Joins whole groups of kLanes neighbours: many accumulators side by side, of which the compiler
  // makes vectors, and sums are more exact for it. Gives how many elements that were.
  template <int64_t kLanes>
  static int64_t Lanes(A& total, const T* x, int64_t n) {
    if (n < kLanes) return 0;
    A lanes[kLanes];
    Init(lanes, kLanes);
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t k = 0; k < kLanes; ++k) lanes[k] = Op::Join(lanes[k], Load<Op, A>(x[i + k]));
    }
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t k = 0; k < half; ++k) lanes[k] = Op::Join(lanes[k], lanes[k + half]);
    }
    total = Op::Join(total, lanes[0]);
    return i;
  }

  static void Row(void* acc, const void* x_data, int64_t n) {
    constexpr int64_t kFew = 64 / sizeof(A), kMany = 4 * kFew;
    const T* x = static_cast<const T*>(x_data);
    A total = *static_cast<A*>(acc);
    int64_t i = Lanes<kMany>(total, x, n);
    i += Lanes<kFew>(total, x + i, n - i);
    for (; i < n; ++i) total = Op::Join(total, Load<Op, A>(x[i]));
    *static_cast<A*>(acc) = total;
  }

  static void Columns(void* acc_data, const void* x_data, int64_t rows, int64_t stride, int64_t n) {
    const T* x = static_cast<const T*>(x_data);
    A* acc = static_cast<A*>(acc_data);
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4, x += 4 * stride) {  // fewer passes over the accumulators
      const T *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        const A first = Op::Join(Op::Join(acc[i], Load<Op, A>(x[i])), Load<Op, A>(x1[i]));
        acc[i] = Op::Join(Op::Join(first, Load<Op, A>(x2[i])), Load<Op, A>(x3[i]));
      }
    }
    for (; r < rows; ++r, x += stride) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) acc[i] = Op::Join(acc[i], Load<Op, A>(x[i]));
    }
  }

  static void Combine(void* acc_data, const void* other_data, int64_t n) {
    A* acc = static_cast<A*>(acc_data);
    const A* other = static_cast<const A*>(other_data);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) acc[i] = Op::Join(acc[i], other[i]);
  }

  static void Finish(const void* acc_data, void* out, int64_t n, int64_t) {
    const A* acc = static_cast<const A*>(acc_data);
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = static_cast<T>(acc[i]);
  }

  static void FinishMean(const void* acc_data, void* out, int64_t n, int64_t count) {
    const A* acc = static_cast<const A*>(acc_data);
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<A>) {
        static_cast<T*>(out)[i] = count == 0 ? T(0) : static_cast<T>(acc[i] / count);
      } else {
        static_cast<T*>(out)[i] = static_cast<T>(acc[i] / static_cast<A>(count));
      }
    }
  }

  static void FinishNorm(const void* acc_data, void* out, int64_t n, int64_t) {
    const A* acc = static_cast<const A*>(acc_data);
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = static_cast<T>(std::sqrt(acc[i]));
  }

  static ReduceRows Make() {
    return {.size = sizeof(T),
            .accumulator_size = sizeof(A),
            .init = Init,
            .row = Row,
            .columns = Columns,
            .combine = Combine,
            .finish = Finish};
  }
};

template <class Op, DTypeSet kTypes>
ReduceRows FindLoops(DType type) {
  ReduceRows rows;
  DispatchDType<kTypes>(type, [&]<class T>() {
    // Bools as the bytes 0 and 1, which compilers vectorise.
    using S = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;
    rows = Loops<S, Accumulator<S>, Op>::Make();
  });
  return rows;
}

template <DTypeSet kTypes>
ReduceRows FindMeanLoops(DType type) {
  ReduceRows rows;
  DispatchDType<kTypes>(type, [&]<class T>() {
    using A = std::conditional_t<std::is_integral_v<T>, int64_t, Accumulator<T>>;
    rows = Loops<T, A, Sum>::Make();
    rows.finish = Loops<T, A, Sum>::FinishMean;
  });
  return rows;
}

template <DTypeSet kTypes>
ReduceRows FindNormLoops(DType type) {
  ReduceRows rows;
  DispatchDType<kTypes>(type, [&]<class T>() {
    rows = Loops<T, Accumulator<T>, SumOfSquares>::Make();
    rows.finish = Loops<T, Accumulator<T>, SumOfSquares>::FinishNorm;
    rows.keeps_single = false;
  });
  return rows;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#endif
