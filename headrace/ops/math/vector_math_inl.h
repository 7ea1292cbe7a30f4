// Transcendental functions on vectors, for every argument: Highway's functions within their range,
// exact limits and the C library's functions outside it. Included once for each target (see
// hwy/foreach_target.h), so there is no #pragma once.
//
//   V y = vm::Tanh{}(d, x);      // float or double lanes; at most 4 ulp from the exact value
#if defined(HEADRACE_OPS_MATH_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_OPS_MATH_VECTOR_MATH_INL_H_
#undef HEADRACE_OPS_MATH_VECTOR_MATH_INL_H_
#else
#define HEADRACE_OPS_MATH_VECTOR_MATH_INL_H_
#endif

#include "headrace/ops/math/functors.h"
#include "hwy/contrib/math/math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace vm {

namespace hn = hwy::HWY_NAMESPACE;

// Lanes of `y` where `bad` is set become Scalar{}(x).
template <class Scalar, class D, class V, class M>
HWY_NOINLINE V PatchLanes(D d, V x, V y, M bad) {
  using T = hn::TFromD<D>;
  HWY_ALIGN T xs[hn::MaxLanes(d)];
  HWY_ALIGN T ys[hn::MaxLanes(d)];
  HWY_ALIGN T bads[hn::MaxLanes(d)];
  hn::Store(x, d, xs);
  hn::Store(y, d, ys);
  hn::Store(hn::IfThenElseZero(bad, hn::Set(d, T(1))), d, bads);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (bads[i] != T(0)) ys[i] = Scalar{}(xs[i]);
  }
  return hn::Load(d, ys);
}

// Highway's NAME where `low <= x <= high`; the scalar function elsewhere (NaN and infinity always).
#define HR_VECTOR_FUNCTION_(NAME, LOW32, HIGH32, LOW64, HIGH64)                                    \
  struct NAME {                                                                                    \
    template <class D, class V>                                                                    \
    HWY_INLINE V operator()(D d, V x) const {                                                      \
      using T = hn::TFromD<D>;                                                                     \
      const V low = hn::Set(d, sizeof(T) == 4 ? static_cast<T>(LOW32) : static_cast<T>(LOW64));    \
      const V high = hn::Set(d, sizeof(T) == 4 ? static_cast<T>(HIGH32) : static_cast<T>(HIGH64)); \
      const auto good = hn::And(hn::Ge(x, low), hn::Le(x, high));                                  \
      const V safe = hn::IfThenElse(good, x, hn::Set(d, T(1)));                                    \
      const V y = hn::NAME(d, safe);                                                               \
      if (HWY_LIKELY(hn::AllTrue(d, good))) return y;                                              \
      return PatchLanes<fn::NAME>(d, x, y, hn::Not(good));                                         \
    }                                                                                              \
  };

HR_VECTOR_FUNCTION_(Expm1, -3.0e38, 88.0, -1.0e308, 705.0)
HR_VECTOR_FUNCTION_(Log1p, -0.9999, 3.0e38, -0.9999, 1.0e308)
HR_VECTOR_FUNCTION_(Sin, -39000.0, 39000.0, -39000.0, 39000.0)
HR_VECTOR_FUNCTION_(Cos, -39000.0, 39000.0, -39000.0, 39000.0)
HR_VECTOR_FUNCTION_(Asin, -1.0, 1.0, -1.0, 1.0)
HR_VECTOR_FUNCTION_(Acos, -1.0, 1.0, -1.0, 1.0)
HR_VECTOR_FUNCTION_(Atan, -3.0e38, 3.0e38, -1.0e308, 1.0e308)
HR_VECTOR_FUNCTION_(Sinh, -88.0, 88.0, -705.0, 705.0)
HR_VECTOR_FUNCTION_(Asinh, -3.0e38, 3.0e38, -1.0e308, 1.0e308)
HR_VECTOR_FUNCTION_(Acosh, 1.0, 3.0e38, 1.0, 1.0e308)
HR_VECTOR_FUNCTION_(Atanh, -0.9999, 0.9999, -0.9999, 0.9999)
#undef HR_VECTOR_FUNCTION_

// Branch-free, for the functions of most networks.

struct Exp {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    // Beyond these the result is infinite or 0 already. Min and Max give their second argument for
    // NaN.
    const V high = hn::Set(d, static_cast<T>(sizeof(T) == 4 ? 90.0 : 715.0));
    const V y = hn::Exp(d, hn::Min(high, x));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

struct Log {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V zero = hn::Zero(d), infinity = hn::Inf(d);
    V y = hn::Log(d, x);
    y = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), y);
    y = hn::IfThenElse(hn::Lt(x, zero), hn::NaN(d), y);
    const auto passes = hn::Or(hn::Eq(x, infinity), hn::IsNaN(x));
    return hn::IfThenElse(passes, x, y);
  }
};

struct Sigmoid {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V one = hn::Set(d, T(1));
    const V e =
        hn::Exp(d, hn::Neg(hn::Abs(x)));  // in (0, 1]: never overflows, exact far below zero
    const V y = hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

// x * p(x^2) / q(x^2) with coefficients of least relative error, evaluated in pairs for short
// dependency chains.
template <class D, class V>
HWY_INLINE V Rational(D d, V x, const float (&p)[6], const float (&q)[6]) {
  const V t = hn::Mul(x, x), t2 = hn::Mul(t, t), t4 = hn::Mul(t2, t2);
  const auto evaluate = [&](const float(&c)[6]) {
    const V c01 = hn::MulAdd(hn::Set(d, c[1]), t, hn::Set(d, c[0]));
    const V c23 = hn::MulAdd(hn::Set(d, c[3]), t, hn::Set(d, c[2]));
    const V c45 = hn::MulAdd(hn::Set(d, c[5]), t, hn::Set(d, c[4]));
    return hn::MulAdd(c45, t4, hn::MulAdd(c23, t2, c01));
  };
  return hn::Div(hn::Mul(x, evaluate(p)), evaluate(q));
}

struct Tanh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 4) {
      // Relative error of the fit on [0, 9.011]: 2.1e-8.
      static constexpr float kP[6] = {0.999999978284f,   0.133802206321f,   0.0034946313821f,
                                      2.05933082258e-5f, 1.33327404559e-8f, 0};
      static constexpr float kQ[6] = {
          1, 0.467135359318f, 0.0258733442216f, 0.000328406888749f, 7.76760043694e-7f, 0};
      const V bound = hn::Set(d, 9.01f);  // from here on the result rounds to 1
      const V clamped = hn::Max(hn::Neg(bound), hn::Min(bound, x));
      return Rational(d, clamped, kP, kQ);
    } else {
      const V two = hn::Set(d, 2.0);
      const V a = hn::Min(hn::Set(d, 20.0), hn::Abs(x));  // from 19.1 on the result rounds to 1
      const V e = hn::Expm1(d, hn::Mul(two, a));
      const V y = hn::CopySign(hn::Div(e, hn::Add(e, two)), x);
      return hn::IfThenElse(hn::IsNaN(x), x, y);
    }
  }
};

struct Cosh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V half = hn::Set(d, T(0.5));
    const V e = Exp{}(d, hn::Mul(half, hn::Abs(x)));  // its square overflows where the result does
    return hn::Add(hn::Mul(hn::Mul(half, e), e), hn::Div(half, hn::Mul(e, e)));
  }
};

struct Erf {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    static_assert(sizeof(hn::TFromD<D>) == 4, "float only");
    // Relative error of the fit on [0, 3.925]: 1.9e-8.
    static constexpr float kP[6] = {1.12837914557f,    0.190633124865f,   0.0527738178163f,
                                    0.00377401867718f, 0.00028483923182f, 2.04525574215e-6f};
    static constexpr float kQ[6] = {1,
                                    0.502276936113f,
                                    0.114198363403f,
                                    0.0149862095544f,
                                    0.00116414175226f,
                                    3.80395118472e-5f};
    const V bound = hn::Set(d, 3.925f);  // from here on the result rounds to 1
    return Rational(d, hn::Max(hn::Neg(bound), hn::Min(bound, x)), kP, kQ);
  }
};

}  // namespace vm
}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#endif
