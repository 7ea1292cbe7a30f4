// Powers of float lanes, part of vector_math_pairs_inl.h: included there, once for each target.
//
//   V w = vm::PowOfAny{}(d, x, y);                  // every x and y, in double lanes
//   V w = vm::PowByTables{}(d, x, y, usual);        // `usual` lanes only, in float lanes
#if defined(HEADRACE_OPS_MATH_VECTOR_POW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEADRACE_OPS_MATH_VECTOR_POW_INL_H_
#undef HEADRACE_OPS_MATH_VECTOR_POW_INL_H_
#else
#define HEADRACE_OPS_MATH_VECTOR_POW_INL_H_
#endif

#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/vector_math_inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace vm {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR

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

// x^y of floats as 2^(y * log2(x)) in double lanes: at most 1 unit in the last place.
struct PowOfAny {
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

#if HWY_TARGET <= HWY_AVX3

// Tables of 32 and 16 numbers that fit into two registers and one.
struct PowTables {
  // Of a mantissa in [1 + i / 32, 1 + (i + 1) / 32): a near reciprocal of 7 bits, whose product with
  // the mantissa is less than 2^-5 from 1 and has that rest exactly; -log2 of it, less 127, in 17
  // bits after the point; and what that leaves out.
  alignas(64) static constexpr float kInverse[32] = {
      1,         0.953125f, 0.921875f, 0.90625f,  0.875f,    0.859375f, 0.828125f, 0.8125f,
      0.796875f, 0.765625f, 0.75f,     0.734375f, 0.71875f,  0.703125f, 0.6875f,   0.671875f,
      0.65625f,  0.640625f, 0.640625f, 0.625f,    0.609375f, 0.59375f,  0.59375f,  0.578125f,
      0.5625f,   0.5625f,   0.546875f, 0.53125f,  0.53125f,  0.515625f, 0.515625f, 0.5f};
  alignas(64) static constexpr float kLog[32] = {
      -127,         -126.93074f,  -126.882645f, -126.85798f, -126.80736f, -126.78136f, -126.72792f,
      -126.70044f,  -126.672424f, -126.61471f,  -126.58496f, -126.55459f, -126.52356f, -126.49185f,
      -126.459435f, -126.42626f,  -126.39232f,  -126.35755f, -126.35755f, -126.32193f, -126.2854f,
      -126.247925f, -126.247925f, -126.20945f,  -126.16992f, -126.16992f, -126.12928f, -126.08746f,
      -126.08746f,  -126.044395f, -126.044395f, -126};
  alignas(64) static constexpr float kLogRest[32] = {0,
                                                     3.0188824e-06f,
                                                     1.6039585e-06f,
                                                     -2.1743267e-06f,
                                                     2.8660284e-06f,
                                                     -2.9020011e-06f,
                                                     7.7663366e-08f,
                                                     -2.650161e-07f,
                                                     -1.0255652e-06f,
                                                     -1.8973378e-06f,
                                                     -1.5632212e-06f,
                                                     -5.3380654e-07f,
                                                     -2.3857444e-06f,
                                                     -1.2896891e-06f,
                                                     2.89064e-06f,
                                                     -2.8528466e-06f,
                                                     1.3028072e-06f,
                                                     -4.2991104e-07f,
                                                     -4.2991104e-07f,
                                                     1.8367533e-06f,
                                                     -1.8282373e-06f,
                                                     -2.708756e-06f,
                                                     -2.708756e-06f,
                                                     -3.5975625e-06f,
                                                     -3.1264424e-06f,
                                                     -3.1264424e-06f,
                                                     -2.926613e-06f,
                                                     5.376559e-07f,
                                                     5.376559e-07f,
                                                     1.3274189e-06f,
                                                     1.3274189e-06f,
                                                     0};
  // 2^(j / 16), and what its rounding leaves out.
  alignas(64) static constexpr float kRoot[16] = {1,          1.0442737f, 1.0905077f, 1.1387886f,
                                                  1.1892071f, 1.2418578f, 1.2968396f, 1.3542556f,
                                                  1.4142135f, 1.4768262f, 1.5422108f, 1.6104903f,
                                                  1.6817929f, 1.7562522f, 1.8340081f, 1.9152066f};
  alignas(64) static constexpr float kRootRest[16] = {0,
                                                      4.83347e-08f,
                                                      -1.307754e-08f,
                                                      5.3862223e-08f,
                                                      3.7976353e-08f,
                                                      4.496838e-08f,
                                                      -4.0189995e-08f,
                                                      -1.0123349e-08f,
                                                      2.4203235e-08f,
                                                      -4.500899e-08f,
                                                      8.070905e-09f,
                                                      9.836217e-09f,
                                                      -2.4755327e-08f,
                                                      -9.23577e-09f,
                                                      -1.1239278e-08f,
                                                      9.845328e-09f};
};

// x^y in pairs of floats, of which the second holds what the first leaves out: below 0.6 units in
// the last place. `usual` becomes the lanes for which that holds: x positive and normal, the result
// normal and finite.
struct PowByTables {
  template <class D, class V, class M>
  HWY_INLINE V operator()(D d, V x, V y, M& usual) const {
    const hn::Rebind<uint32_t, D> du;
    const auto bits = hn::BitCast(du, x);
    const auto positive = hn::Lt(hn::Sub(bits, hn::Set(du, 0x00800000u)), hn::Set(du, 0x7f000000u));
    V log, log_rest;
    Log2(d, bits, log, log_rest);
    const V exponent = hn::Mul(y, log);
    const V rest = hn::MulAdd(y, log_rest, hn::MulSub(y, log, exponent));
    usual = hn::And(hn::RebindMask(d, positive), hn::Lt(hn::Abs(exponent), hn::Set(d, 126.0f)));
    return PowerOfTwo(d, exponent, rest);
  }

 private:
  // log2(1 + r) = r / ln(2) - r^2 / (2 ln(2)) + r^3 * p(r), in parts; p with least relative error of
  // the logarithm, 2^-37.
  static constexpr float kOne = 1.44269502f, kOneRest = 1.92596303e-8f;
  static constexpr float kTwo = -0.72134751f, kTwoRest = -9.62981517e-9f;
  static constexpr double kLog[] = {0.4808983223706916, -0.36067370641882684, 0.28874042044308,
                                    -0.24066949200065166};
  // (2^g - 1) / g of |g| < 0.1 with least relative error of the power, 2^-29.
  static constexpr double kExp[] = {0.6931471638906146, 0.2402265021449187, 0.05551744365300589,
                                    0.009620054722503444};

  template <class V, class I>
  static HWY_INLINE V Of32(I at, const float (&table)[32]) {
    return V{_mm512_permutex2var_ps(_mm512_load_ps(table), at.raw, _mm512_load_ps(table + 16))};
  }
  template <class V, class I>
  static HWY_INLINE V Of16(I at, const float (&table)[16]) {
    return V{_mm512_permutexvar_ps(at.raw, _mm512_load_ps(table))};
  }

  template <class D, class B, class V>
  static HWY_INLINE void Log2(D d, B bits, V& log, V& rest) {
    const hn::Rebind<uint32_t, D> du;
    const hn::Rebind<int32_t, D> di;
    const auto interval = hn::ShiftRight<18>(bits);  // its last five bits
    const V mantissa =
        hn::BitCast(d, hn::Or(hn::And(bits, hn::Set(du, 0x007fffffu)), hn::Set(du, 0x3f800000u)));
    const V power = hn::ConvertTo(d, hn::BitCast(di, hn::ShiftRight<23>(bits)));
    const V whole = hn::Add(power, Of32<V>(interval, PowTables::kLog));
    const V r = hn::MulSub(mantissa, Of32<V>(interval, PowTables::kInverse), hn::Set(d, 1.0f));
    const V one = hn::Set(d, kOne), two = hn::Set(d, kTwo);
    const V square = hn::Mul(r, r), square_rest = hn::MulSub(r, r, square);
    const V linear = hn::Mul(r, one);
    const V linear_rest = hn::MulAdd(r, hn::Set(d, kOneRest), hn::MulSub(r, one, linear));
    const V bend = hn::Mul(square, two);
    const V higher = hn::MulAdd(Polynomial(d, r, kLog), r, hn::Set(d, kTwoRest));
    const V bend_rest =
        hn::MulAdd(square, higher, hn::MulAdd(square_rest, two, hn::MulSub(square, two, bend)));
    // Sums of falling size: `whole` is 0 or larger than what follows.
    const V sum = hn::Add(whole, linear), sum_rest = hn::Sub(linear, hn::Sub(sum, whole));
    log = hn::Add(sum, bend);
    const V log_rest = hn::Sub(bend, hn::Sub(log, sum));
    rest = hn::Add(hn::Add(hn::Add(sum_rest, Of32<V>(interval, PowTables::kLogRest)), log_rest),
                   hn::Add(linear_rest, bend_rest));
  }

  // 2^(exponent + rest).
  template <class D, class V>
  static HWY_INLINE V PowerOfTwo(D d, V exponent, V rest) {
    const hn::Rebind<uint32_t, D> du;
    // Its last bit is worth 1 / 16.
    const V round = hn::Set(d, 0x1.8p19f), rounded = hn::Add(exponent, round);
    const V g = hn::Add(hn::Sub(exponent, hn::Sub(rounded, round)), rest);
    const auto sixteenths = hn::BitCast(du, rounded);
    const V root = Of16<V>(sixteenths, PowTables::kRoot);
    const V more = hn::MulAdd(root, hn::Mul(g, Polynomial(d, g, kExp)),
                              Of16<V>(sixteenths, PowTables::kRootRest));
    const auto whole = hn::And(hn::ShiftLeft<19>(sixteenths), hn::Set(du, 0xff800000u));
    return hn::BitCast(d, hn::Add(hn::BitCast(du, hn::Add(root, more)), whole));
  }
};

#endif  // AVX-512
#endif  // HWY_TARGET

}  // namespace vm
}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#endif
