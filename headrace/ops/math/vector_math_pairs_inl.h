// Functions of two arguments on vectors, as vector_math_inl.h has them of one.
//
//   V z = vm::Atan2{}(d, y, x);      // float or double lanes; at most 3 ulp from the exact value
//   V w = vm::Pow{}(d, x, y);        // float lanes; at most 1 ulp
#if defined(HEADRACE_OPS_MATH_VECTOR_MATH_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_OPS_MATH_VECTOR_MATH_PAIRS_INL_H_
#undef HEADRACE_OPS_MATH_VECTOR_MATH_PAIRS_INL_H_
#else
#define HEADRACE_OPS_MATH_VECTOR_MATH_PAIRS_INL_H_
#endif

#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/vector_math_inl.h"
#include "headrace/ops/math/vector_pow_inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace vm {

namespace hn = hwy::HWY_NAMESPACE;

// The angle of the point (x, y).
struct Atan2 {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V y, V x) const {
    using T = hn::TFromD<D>;
    const V zero = hn::Zero(d), one = hn::Set(d, T(1));
    const V width = hn::Abs(x), height = hn::Abs(y);
    const V less = hn::Min(width, height), more = hn::Max(width, height);
    // In [0, 1]; 1 of two infinities, 0 of two zeros.
    V ratio = hn::Div(less, hn::IfThenElse(hn::Eq(more, zero), one, more));
    ratio = hn::IfThenElse(hn::And(hn::Eq(less, more), hn::Ne(more, zero)), one, ratio);
    const V angle = OfRatio(d, ratio);  // from the nearest axis
    const auto steep = hn::Gt(height, width);
    const auto left = hn::Lt(hn::CopySign(one, x), zero);  // also of -0
    // Turned by a multiple of pi / 2, of which `rest` is what T cannot hold.
    const T half_pi = T(1.5707963267948966);
    const T rest = sizeof(T) == 4 ? T(-4.3711388286737929e-8) : T(6.123233995736766e-17);
    const V turn = hn::IfThenElse(steep, hn::Set(d, half_pi),
                                  hn::IfThenElseZero(left, hn::Set(d, 2 * half_pi)));
    const V turn_rest =
        hn::IfThenElse(steep, hn::Set(d, rest), hn::IfThenElseZero(left, hn::Set(d, 2 * rest)));
    const V towards = hn::IfThenElse(hn::Xor(steep, left), hn::Neg(angle), angle);
    const V result = hn::CopySign(hn::Add(turn, hn::Add(towards, turn_rest)), y);
    const auto unordered = hn::Or(hn::IsNaN(x), hn::IsNaN(y));
    return hn::IfThenElse(unordered, hn::Add(x, y), result);
  }

 private:
  template <class D, class V>
  static HWY_INLINE V OfRatio(D d, V t) {
    if constexpr (sizeof(hn::TFromD<D>) == 8) {
      return hn::Atan(d, t);
    } else {
      // (atan(t) / t - 1) / t^2 with least relative error on [0, 1]: 2^-28 of the angle.
      static constexpr double kP[] = {
          -0.33333298563957214,  0.19998548924922943,  -0.14264240860939026,
          0.10952181369066238,   -0.08403436839580536, 0.05795735865831375,
          -0.031177613884210587, 0.010914481244981289, -0.001793593866750598};
      const V u = hn::Mul(t, t);
      return hn::MulAdd(hn::Mul(t, u), Polynomial(d, u, kP), t);
    }
  }
};

#if HWY_TARGET == HWY_SCALAR

struct Pow {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    return hn::Set(d, fn::Pow{}(hn::GetLane(x), hn::GetLane(y)));
  }
};

#else

// x^y of floats.
struct Pow {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    static_assert(sizeof(hn::TFromD<D>) == 4, "float only");
#if HWY_TARGET <= HWY_AVX3
    hn::MFromD<D> usual;
    const V power = PowByTables{}(d, x, y, usual);
    if (HWY_LIKELY(hn::AllTrue(d, usual))) return power;
    return hn::IfThenElse(usual, power, PowOfAny{}(d, x, y));
#else
    return PowOfAny{}(d, x, y);
#endif
  }
};

#endif  // HWY_TARGET

}  // namespace vm
}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#endif
