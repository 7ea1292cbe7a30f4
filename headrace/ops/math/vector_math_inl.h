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

// NAME is Highway's OP where `low <= x <= high`; the scalar function elsewhere (NaN and infinity
// always).
#define HR_VECTOR_FUNCTION_(NAME, OP, LOW32, HIGH32, LOW64, HIGH64)                                \
  struct NAME {                                                                                    \
    template <class D, class V>                                                                    \
    HWY_INLINE V operator()(D d, V x) const {                                                      \
      using T = hn::TFromD<D>;                                                                     \
      const V low = hn::Set(d, sizeof(T) == 4 ? static_cast<T>(LOW32) : static_cast<T>(LOW64));    \
      const V high = hn::Set(d, sizeof(T) == 4 ? static_cast<T>(HIGH32) : static_cast<T>(HIGH64)); \
      const auto good = hn::And(hn::Ge(x, low), hn::Le(x, high));                                  \
      const V safe = hn::IfThenElse(good, x, hn::Set(d, T(1)));                                    \
      const V y = hn::OP(d, safe);                                                                 \
      if (HWY_LIKELY(hn::AllTrue(d, good))) return y;                                              \
      return PatchLanes<fn::OP>(d, x, y, hn::Not(good));                                           \
    }                                                                                              \
  };

HR_VECTOR_FUNCTION_(Expm1OfDouble, Expm1, -3.0e38, 88.0, -1.0e308, 705.0)
HR_VECTOR_FUNCTION_(Log1pOfDouble, Log1p, -0.9999, 3.0e38, -0.9999, 1.0e308)
HR_VECTOR_FUNCTION_(SinButForZero, Sin, -39000.0, 39000.0, -39000.0, 39000.0)
HR_VECTOR_FUNCTION_(Cos, Cos, -39000.0, 39000.0, -39000.0, 39000.0)
HR_VECTOR_FUNCTION_(Asin, Asin, -1.0, 1.0, -1.0, 1.0)
HR_VECTOR_FUNCTION_(Acos, Acos, -1.0, 1.0, -1.0, 1.0)
HR_VECTOR_FUNCTION_(Atan, Atan, -3.0e38, 3.0e38, -1.0e308, 1.0e308)
HR_VECTOR_FUNCTION_(AsinhOfDouble, Asinh, -3.0e38, 3.0e38, -1.0e308, 1.0e308)
HR_VECTOR_FUNCTION_(Acosh, Acosh, 1.0, 3.0e38, 1.0, 1.0e308)
HR_VECTOR_FUNCTION_(AtanhOfDouble, Atanh, -0.9999, 0.9999, -0.9999, 0.9999)
#undef HR_VECTOR_FUNCTION_

struct Sin {  // Highway's gives 0 for -0
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, SinButForZero{}(d, x));
  }
};

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
      return hn::IfThenElse(hn::IsNaN(x), x, Rational(d, clamped, kP, kQ));
    } else {
      const V two = hn::Set(d, 2.0);
      const V a = hn::Min(hn::Set(d, 20.0), hn::Abs(x));  // from 19.1 on the result rounds to 1
      const V e = hn::Expm1(d, hn::Mul(two, a));
      const V y = hn::CopySign(hn::Div(e, hn::Add(e, two)), x);
      return hn::IfThenElse(hn::IsNaN(x), x, y);
    }
  }
};

// The sum of c[i] * u^i. Horner's scheme: as these loops go over independent vectors,
// multiplications are short, not time to wait for one.
template <class D, class V, size_t kTerms>
HWY_INLINE V Polynomial(D d, V u, const double (&c)[kTerms]) {
  using T = hn::TFromD<D>;
  V y = hn::Set(d, static_cast<T>(c[kTerms - 1]));
  for (size_t i = kTerms - 1; i > 0; --i)
    y = hn::MulAdd(y, u, hn::Set(d, static_cast<T>(c[i - 1])));
  return y;
}

// 2^e of whole numbers from -127 (-1023 of double) on, of which the lowest gives 0.
template <class D, class V>
HWY_INLINE V PowerOfTwo(D d, V e) {
  using T = hn::TFromD<D>;
  // Added to 2^23 (2^52), a small number is in the low bits.
  constexpr int kBits = sizeof(T) == 4 ? 23 : 52;
  const V biased = hn::Add(e, hn::Set(d, sizeof(T) == 4 ? T(0x1p23 + 127) : T(0x1p52 + 1023)));
  const hn::Rebind<hwy::MakeUnsigned<T>, D> du;
  return hn::BitCast(d, hn::ShiftLeft<kBits>(hn::BitCast(du, biased)));
}

// x = 2^power * m of normal positive numbers, with m in [sqrt(0.5), sqrt(2)).
template <class D, class V>
HWY_INLINE V SplitPower(D d, V x, V& power) {
  using T = hn::TFromD<D>;
  using U = hwy::MakeUnsigned<T>;
  constexpr int kBits = sizeof(T) == 4 ? 23 : 52;
  constexpr U kOne = sizeof(T) == 4 ? U(0x3f800000u) : U(0x3ff0000000000000u);
  constexpr U kRoot = sizeof(T) == 4 ? U(0x3f3504f3u) : U(0x3fe6a09e667f3bcdu);
  constexpr U kLarge = sizeof(T) == 4 ? U(0x4b000000u) : U(0x4330000000000000u);  // 2^kBits
  const hn::Rebind<U, D> du;
  // What lies between 1 and sqrt(0.5) carries into the exponent where the mantissa is larger.
  const auto shifted = hn::Add(hn::BitCast(du, x), hn::Set(du, kOne - kRoot));
  const auto mantissa = hn::And(shifted, hn::Set(du, (U(1) << kBits) - 1));
  const auto exponent = hn::Or(hn::ShiftRight<kBits>(shifted), hn::Set(du, kLarge));
  power = hn::Sub(hn::BitCast(d, exponent),
                  hn::Set(d, sizeof(T) == 4 ? T(0x1p23 + 127) : T(0x1p52 + 1023)));
  return hn::BitCast(d, hn::Add(mantissa, hn::Set(du, kRoot)));
}

// How often log(2) goes into x, not rounded; and x - power * log(2) of a near whole number `power`.
template <class D, class V>
HWY_INLINE V PowersOfTwoIn(D d, V x) {
  return hn::Mul(x, hn::Set(d, static_cast<hn::TFromD<D>>(1.4426950408889634)));
}
template <class D, class V>
HWY_INLINE V LessPowersOfTwo(D d, V x, V power) {
  using T = hn::TFromD<D>;
  // log(2) in two parts, of which the first has products with `power` that are exact.
  constexpr T kHigh = sizeof(T) == 4 ? T(0.693359375) : T(0x1.62e42feep-1);
  constexpr T kLow = sizeof(T) == 4 ? T(-2.1219444e-4) : T(0x1.a39ef35793c76p-33);
  return hn::NegMulAdd(power, hn::Set(d, kLow), hn::NegMulAdd(power, hn::Set(d, kHigh), x));
}

// x - q * pi / 2 for |q| < 2^15. In float lanes the operations must be fused ones: then the first
// step is exact.
template <class D, class V>
HWY_INLINE V LessQuarterTurns(D d, V x, V q) {
  if constexpr (sizeof(hn::TFromD<D>) == 8) {
    // Products of q with the first two parts are exact.
    x = hn::NegMulAdd(q, hn::Set(d, 0x1.921fb544p+0), x);
    x = hn::NegMulAdd(q, hn::Set(d, 0x1.0b4611a6p-34), x);
    return hn::NegMulAdd(q, hn::Set(d, 0x1.3198a2e037073p-69), x);
  } else {
    x = hn::NegMulAdd(q, hn::Set(d, 0x1.921fb6p+0f), x);
    x = hn::NegMulAdd(q, hn::Set(d, -0x1.777a5cp-25f), x);
    return hn::NegMulAdd(q, hn::Set(d, -0x1.ee59dap-50f), x);
  }
}

struct Tan {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (HWY_TARGET == HWY_SCALAR) return hn::Set(d, fn::Tan{}(hn::GetLane(x)));
    using T = hn::TFromD<D>;
    if constexpr (sizeof(T) == 4 && !HWY_NATIVE_FMA) {  // see LessQuarterTurns
      return PatchLanes<fn::Tan>(d, x, x, hn::Eq(hn::Zero(d), hn::Zero(d)));
    }
    const V size = hn::Abs(x);
    const auto good = hn::Le(size, hn::Set(d, T(39000)));
    const V safe = hn::IfThenElseZero(good, x);
    V y = Reduced(d, safe);
    // Its square is less than half a unit in the last place; and the sign of 0 stays.
    const V tiny = hn::Set(d, sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28));
    y = hn::IfThenElse(hn::Lt(size, tiny), x, y);
    if (HWY_LIKELY(hn::AllTrue(d, good))) return y;
    return PatchLanes<fn::Tan>(d, x, y, hn::Not(good));
  }

 private:
  // Of |x| < 2^15 * pi / 2. The tangent of x less the nearest multiple of pi / 2, or its negative
  // reciprocal if the multiple is odd.
  template <class D, class V>
  static HWY_INLINE V Reduced(D d, V x) {
    using T = hn::TFromD<D>;
    const V q = hn::Round(hn::Mul(x, hn::Set(d, T(0.63661977236758134))));
    const V half_q = hn::Mul(q, hn::Set(d, T(0.5)));
    const auto odd = hn::Ne(hn::Round(half_q), half_q);
    const V r = LessQuarterTurns(d, x, q), u = hn::Mul(r, r);
    if constexpr (sizeof(T) == 4) {
      // (tan(r) / r - 1) / r^2 with least relative error on [0, pi / 4]: 2^-29 of the tangent.
      static constexpr double kP[] = {
          0.33333349227905273,  0.13332651555538177,  0.05406113713979721, 0.021276049315929413,
          0.010851286351680756, 7.04539634170942e-05, 0.004385438282042742};
      const V t = hn::MulAdd(hn::Mul(r, u), Polynomial(d, u, kP), r);
      return hn::IfThenElse(odd, hn::Div(hn::Set(d, T(-1)), t), t);
    } else {
      // Taylor's series of (sin(r) / r - 1) / r^2 and cos(r).
      static constexpr double kSin[] = {-1 / 6.,           1 / 120.,          -1 / 5040.,
                                        1 / 362880.,       -1 / 39916800.,    1 / 6227020800.,
                                        -1 / 1307674368e3, 1 / 355687428096e3};
      static constexpr double kCos[] = {1,
                                        -1 / 2.,
                                        1 / 24.,
                                        -1 / 720.,
                                        1 / 40320.,
                                        -1 / 3628800.,
                                        1 / 479001600.,
                                        -1 / 87178291200.,
                                        1 / 20922789888e3};
      const V sin = hn::MulAdd(hn::Mul(r, u), Polynomial(d, u, kSin), r);
      const V cos = Polynomial(d, u, kCos);
      return hn::Div(hn::IfThenElse(odd, hn::Neg(cos), sin), hn::IfThenElse(odd, sin, cos));
    }
  }
};

// sinh(x) or cosh(x) / 2 of x >= 0 from exp(x) = 2^k * exp(r): halves of the sum and the difference
// of 2^k and 2^-k, times cosh(r) and sinh(r). Nothing cancels, as r is not negative; where k is 0,
// sinh(r) alone is left.
template <bool kSine, class D, class V>
HWY_INLINE V HalfHyperbolic(D d, V x) {
  using T = hn::TFromD<D>;
  // From here on the result is infinite.
  const V bounded = hn::Min(hn::Set(d, sizeof(T) == 4 ? T(89.5) : T(710.5)), x);
  const V k = hn::Floor(PowersOfTwoIn(d, bounded)), r = LessPowersOfTwo(d, bounded, k);
  const V u = hn::Mul(r, r);
  V sinh, cosh;  // Taylor's series
  if constexpr (sizeof(T) == 4) {
    static constexpr double kSinh[] = {1 / 6., 1 / 120., 1 / 5040., 1 / 362880.};
    static constexpr double kCosh[] = {1, 1 / 2., 1 / 24., 1 / 720., 1 / 40320.};
    sinh = Polynomial(d, u, kSinh);
    cosh = Polynomial(d, u, kCosh);
  } else {
    static constexpr double kSinh[] = {1 / 6.,        1 / 120.,        1 / 5040.,       1 / 362880.,
                                       1 / 39916800., 1 / 6227020800., 1 / 1307674368e3};
    static constexpr double kCosh[] = {1,
                                       1 / 2.,
                                       1 / 24.,
                                       1 / 720.,
                                       1 / 40320.,
                                       1 / 3628800.,
                                       1 / 479001600.,
                                       1 / 87178291200.,
                                       1 / 20922789888e3};
    sinh = Polynomial(d, u, kSinh);
    cosh = Polynomial(d, u, kCosh);
  }
  sinh = hn::MulAdd(hn::Mul(r, u), sinh, r);
  // A quarter of the powers, so that they stay finite as long as the result.
  const V two = hn::Set(d, T(2)), least = hn::Set(d, sizeof(T) == 4 ? T(-127) : T(-1023));
  const V up = PowerOfTwo(d, hn::Sub(k, two));
  const V down = PowerOfTwo(d, hn::Max(least, hn::Neg(hn::Add(k, two))));
  const V sum = hn::Add(up, down), difference = hn::Sub(up, down);
  return kSine ? hn::MulAdd(sum, sinh, hn::Mul(difference, cosh))
               : hn::MulAdd(sum, cosh, hn::Mul(difference, sinh));
}

struct Sinh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    using T = hn::TFromD<D>;
    const V size = hn::Abs(x), half = HalfHyperbolic<true>(d, size);
    const V y = hn::CopySign(hn::Add(half, half), x);
    // Its cube is less than half a unit in the last place; NaN stays.
    const V tiny = hn::Set(d, sizeof(T) == 4 ? T(0x1p-13) : T(0x1p-28));
    return hn::IfThenElse(hn::Ge(size, tiny), y, x);
  }
};

struct Cosh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    const V half = HalfHyperbolic<false>(d, hn::Abs(x));
    return hn::IfThenElse(hn::IsNaN(x), x, hn::Add(half, half));
  }
};

struct Expm1 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return Expm1OfDouble{}(d, x);
    } else {
      // Beyond these the result is infinite, or rounds to -1.
      const V bounded = hn::Max(hn::Set(d, -30.0f), hn::Min(hn::Set(d, 89.0f), x));
      const V k = hn::Round(PowersOfTwoIn(d, bounded)), r = LessPowersOfTwo(d, bounded, k);
      // (exp(r) - 1 - r) / r^2 with least relative error, 2^-32.
      static constexpr double kP[] = {0.5,
                                      0.1666666567325592,
                                      0.04166635870933533,
                                      0.008333389647305012,
                                      0.0013940720818936825,
                                      0.00019845884526148438};
      const V p = hn::MulAdd(hn::Mul(r, r), Polynomial(d, r, kP), r);
      // Half of 2^k, so that it stays finite as long as the result.
      const V up = PowerOfTwo(d, hn::Sub(k, hn::Set(d, 1.0f)));
      const V half = hn::MulAdd(up, p, hn::Sub(up, hn::Set(d, 0.5f)));
      return hn::IfThenElse(hn::Ge(hn::Abs(x), hn::Set(d, 0x1p-25f)), hn::Add(half, half), x);
    }
  }
};

// log(x + rest) of positive normal x; |rest| is at most half a unit in the last place of x.
template <class D, class V>
HWY_INLINE V LogOfSum(D d, V x, V rest) {
  static_assert(sizeof(hn::TFromD<D>) == 4, "float only");
  V k;
  const V m = SplitPower(d, x, k);
  // The rest, scaled as m is: by 2^-k from the bits that make m of x. None matters beside the
  // logarithm of a large number.
  const hn::Rebind<int32_t, D> di;
  const auto k_bits = hn::Sub(hn::BitCast(di, x), hn::BitCast(di, m));
  const auto down = hn::Sub(hn::Set(di, 0x3f800000), hn::Min(k_bits, hn::Set(di, 100 << 23)));
  const V z = hn::MulAdd(rest, hn::BitCast(d, down), hn::Sub(m, hn::Set(d, 1.0f)));
  // (log(1 + z) - z) / z^2 with least relative error of the logarithm, 2^-27.
  static constexpr double kP[] = {-0.5,
                                  0.3333333134651184,
                                  -0.250008225440979,
                                  0.20001226663589478,
                                  -0.16623355448246002,
                                  0.14201760292053223,
                                  -0.1316019892692566,
                                  0.12761567533016205,
                                  -0.07634441554546356};
  const V log = hn::MulAdd(hn::Mul(z, z), Polynomial(d, z, kP), z);
  return hn::MulAdd(k, hn::Set(d, 0.6931471805599453f), log);
}

// log(1 + x) of x > -1, finite.
template <class D, class V>
HWY_INLINE V LogOfOneAnd(D d, V x) {
  const V one = hn::Set(d, 1.0f), sum = hn::Add(one, x);
  return LogOfSum(d, sum, hn::Sub(x, hn::Sub(sum, one)));
}

struct Log1p {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return Log1pOfDouble{}(d, x);
    } else {
      const V one = hn::Set(d, -1.0f), infinity = hn::Inf(d);
      V y = LogOfOneAnd(d, x);
      y = hn::IfThenElse(hn::Eq(x, one), hn::Neg(infinity), y);
      y = hn::IfThenElse(hn::Lt(x, one), hn::NaN(d), y);
      // Small numbers are their own result; infinity and NaN stay.
      const V size = hn::Abs(x);
      const auto usual = hn::And(hn::Ge(size, hn::Set(d, 0x1p-25f)), hn::Lt(x, infinity));
      return hn::IfThenElse(usual, y, x);
    }
  }
};

struct Asinh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return AsinhOfDouble{}(d, x);
    } else {
      const V size = hn::Abs(x);
      const V y = hn::CopySign(OfModerate(d, size), x);
      const auto moderate = hn::Le(size, hn::Set(d, 0x1p13f));
      if (HWY_LIKELY(hn::AllTrue(d, moderate))) return y;
      return hn::IfThenElse(moderate, y, OfLarge(d, x));
    }
  }

 private:
  // log(a + sqrt(a^2 + 1)).
  template <class D, class V>
  static HWY_INLINE V OfModerate(D d, V a) {
    const V one = hn::Set(d, 1.0f), a2 = hn::Mul(a, a);
    return LogOfOneAnd(d, hn::Add(a, hn::Div(a2, hn::Add(hn::Sqrt(hn::Add(a2, one)), one))));
  }
  // log(a) + log(2); infinity and NaN stay.
  template <class D, class V>
  static HWY_NOINLINE V OfLarge(D d, V x) {
    const V size = hn::Abs(x);
    const V y = hn::Add(LogOfSum(d, size, hn::Zero(d)), hn::Set(d, 0.6931471805599453f));
    return hn::IfThenElse(hn::Lt(size, hn::Inf(d)), hn::CopySign(y, x), x);
  }
};

struct Atanh {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x) const {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return AtanhOfDouble{}(d, x);
    } else {
      const V one = hn::Set(d, 1.0f), size = hn::Abs(x);
      // log(1 + 2 a / (1 - a)) / 2.
      const V twice = LogOfOneAnd(d, hn::Div(hn::Add(size, size), hn::Sub(one, size)));
      const V y = hn::CopySign(hn::Mul(twice, hn::Set(d, 0.5f)), x);
      const auto inside = hn::Lt(size, one);
      if (HWY_LIKELY(hn::AllTrue(d, inside))) return y;
      const V pole = hn::CopySign(hn::Inf(d), x);
      return hn::IfThenElse(inside, y, hn::IfThenElse(hn::Eq(size, one), pole, hn::NaN(d)));
    }
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
    const V y = Rational(d, hn::Max(hn::Neg(bound), hn::Min(bound, x)), kP, kQ);
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};

}  // namespace vm
}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#endif
