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

// Float lanes as double ones: a low and a high half. Functions of both are written step by step, so
// that instructions that do not wait for each other stand side by side.
template <class D>
struct Halves {
  using DD = hn::Repartition<double, D>;
  using V = hn::VFromD<DD>;
  V low, high;

  static HWY_INLINE Halves Of(D d, hn::VFromD<D> x) {
    const hn::Half<D> half;
    return {hn::PromoteTo(DD(), hn::LowerHalf(half, x)),
            hn::PromoteTo(DD(), hn::UpperHalf(half, x))};
  }
  HWY_INLINE hn::VFromD<D> Rounded(D d) const {
    const hn::Half<D> half;
    return hn::Combine(d, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
  }
  template <class F, class... Other>
  static HWY_INLINE Halves Each(F&& f, const Other&... x) {
    return {f(DD(), x.low...), f(DD(), x.high...)};
  }
};

// x^y of floats as 2^(y * log2(x)) in double lanes.
struct Pow {
  template <class D, class V>
  HWY_INLINE V operator()(D d, V x, V y) const {
    static_assert(sizeof(hn::TFromD<D>) == 4, "float only");
    // Mostly all x are positive and normal, and all y finite.
    const V least = hn::Set(d, kLeast), most = hn::Set(d, kMost);
    const auto usual =
        hn::And(hn::And(hn::Ge(x, least), hn::Le(x, most)), hn::Le(hn::Abs(y), most));
    if (HWY_UNLIKELY(!hn::AllTrue(d, usual))) return OfAny(d, x, y);
    return OfPositive(d, x, y);
  }

 private:
  static constexpr float kLeast = 1.17549435e-38f, kMost = 3.40282347e38f;
  // log2((1 + s) / (1 - s)) / s in powers of s^2, with least relative error, 2^-37.
  static constexpr double kLog[] = {2.885390081790086, 0.9617966733418246, 0.5770835849519621,
                                    0.4116727200810854, 0.3407300832020386};
  // (2^f - 1) / f with least relative error of the power, 2^-28.
  static constexpr double kExp[] = {0.6931472028818421,    0.24022647910167239,
                                    0.055503324082192225,  0.009618437613748428,
                                    0.0013398900637346224, 0.0001535334009876187};

  // Of positive normal x and finite y. What remains of the exponent after its whole part may be
  // rounded to float: the error of the result stays below one unit in the last place, and exact
  // powers still come out exact.
  template <class D, class V>
  static HWY_INLINE V OfPositive(D d, V x, V y) {
    V k;
    const V z = hn::Sub(SplitPower(d, x, k), hn::Set(d, 1.0f));  // x = 2^k * (1 + z)
    using H = Halves<D>;
    // Beyond 2^200 all is infinite or 0 as a float.
    const H exponent = H::Each(
        [](auto dd, auto z, auto k, auto y) HWY_ATTR {
          const auto s = hn::Div(z, hn::Add(z, hn::Set(dd, 2.0)));
          const auto log2 = hn::MulAdd(s, Polynomial(dd, hn::Mul(s, s), kLog), k);
          const auto bound = hn::Set(dd, 200.0);
          return hn::Max(hn::Neg(bound), hn::Min(bound, hn::Mul(y, log2)));
        },
        H::Of(d, z), H::Of(d, k), H::Of(d, y));
    const H whole = H::Each([](auto, auto e) HWY_ATTR { return hn::Round(e); }, exponent);
    const H rest = H::Each([](auto, auto e, auto whole) HWY_ATTR { return hn::Sub(e, whole); },
                           exponent, whole);
    const H slope = H::Of(d, Polynomial(d, rest.Rounded(d), kExp));
    return H::Each(
               [](auto dd, auto rest, auto slope, auto whole) HWY_ATTR {
                 const auto power = hn::MulAdd(rest, slope, hn::Set(dd, 1.0));
                 return hn::Mul(power, PowerOfTwo(dd, whole));
               },
               rest, slope, whole)
        .Rounded(d);
  }

  template <class D, class V>
  static HWY_NOINLINE V OfAny(D d, V x, V y) {
    const V one = hn::Set(d, 1.0f), most = hn::Set(d, kMost), size = hn::Abs(x);
    const auto good = hn::And(hn::And(hn::Ge(size, hn::Set(d, kLeast)), hn::Le(size, most)),
                              hn::Le(hn::Abs(y), most));
    const V power = OfPositive(d, hn::IfThenElse(good, size, one), hn::IfThenElseZero(good, y));
    // Negative x: whole powers only, with the sign of odd ones.
    const V half_y = hn::Mul(y, hn::Set(d, 0.5f));
    const auto whole = hn::Eq(hn::Round(y), y), even = hn::Eq(hn::Round(half_y), half_y);
    const V of_negative =
        hn::IfThenElse(whole, hn::IfThenElse(even, power, hn::Neg(power)), hn::NaN(d));
    const V result = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), of_negative, power);
    return hn::AllTrue(d, good) ? result : Patch(d, x, y, result, hn::Not(good));
  }

  // Lanes with zeros, subnormal numbers, infinities and NaN.
  template <class D, class V, class M>
  static HWY_NOINLINE V Patch(D d, V x, V y, V result, M bad) {
    HWY_ALIGN float xs[hn::MaxLanes(d)];
    HWY_ALIGN float ys[hn::MaxLanes(d)];
    HWY_ALIGN float results[hn::MaxLanes(d)];
    HWY_ALIGN float bads[hn::MaxLanes(d)];
    hn::Store(x, d, xs);
    hn::Store(y, d, ys);
    hn::Store(result, d, results);
    hn::Store(hn::IfThenElseZero(bad, hn::Set(d, 1.0f)), d, bads);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      if (bads[i] != 0) results[i] = fn::Pow{}(xs[i], ys[i]);
    }
    return hn::Load(d, results);
  }
};

#endif  // HWY_TARGET

}  // namespace vm
}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#endif
