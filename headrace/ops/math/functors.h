// The arithmetic of element-wise ops on single elements. Compiled by the CPU kernels and, as it is,
// by CUDA kernels, so it uses nothing but operators and the functions of <cmath> and <complex>.
//
//   float y = fn::Sigmoid{}(x);
//   int32_t q = fn::FloorDiv{}(x, y);     // REQUIRES y != 0: kernels check with kZeroDivisor
//
// 16-bit floats are widened to float32 by the caller. Integers wrap on overflow.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#ifdef __CUDACC__
#define HR_HOST_DEVICE __host__ __device__
#else
#define HR_HOST_DEVICE
#endif

namespace headrace::fn {

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;
template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T>;

// The type in which integers are added and multiplied: unsigned, at least 32 bits, so that overflow
// wraps.
template <class T>
struct WrappingType {
  using type = T;
};
template <class T>
requires std::is_integral_v<T>
struct WrappingType<T> {
  using type = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
};
template <class T>
using Wrapping = typename WrappingType<T>::type;

// One argument.

struct Abs {
  template <class T>
  HR_HOST_DEVICE auto operator()(T x) const {
    if constexpr (kIsInteger<T>) {
      return static_cast<T>(x < 0 ? Wrapping<T>(0) - static_cast<Wrapping<T>>(x)
                                  : static_cast<Wrapping<T>>(x));
    } else {
      return std::abs(x);
    }
  }
};
struct Neg {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsInteger<T>) {
      return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(x));
    } else {
      return -x;
    }
  }
};
struct Sign {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return x == T(0) ? T(0) : x / std::abs(x);
    } else {
      return static_cast<T>(static_cast<T>(x > T(0)) - static_cast<T>(x < T(0)));
    }
  }
};
struct Mul {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsComplex<T>) {
      // The plain formula: no repair of infinities, as GPU libraries do it.
      return T(x.real() * y.real() - x.imag() * y.imag(),
               x.real() * y.imag() + x.imag() * y.real());
    } else {
      return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(y));
    }
  }
};
struct Square {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return Mul{}(x, x);
  }
};
struct Sqrt {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return std::sqrt(x);
  }
};
struct Rsqrt {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return T(1) / std::sqrt(x);
  }
};
struct Reciprocal {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return T(1) / x;
  }
};
struct Exp {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return std::exp(x);
  }
};
struct Expm1 {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      using R = typename T::value_type;
      // exp(a) cos(b) - 1 without cancellation near 0.
      const R half_sin = std::sin(x.imag() / 2);
      return T(std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sin * half_sin,
               std::exp(x.real()) * std::sin(x.imag()));
    } else {
      return std::expm1(x);
    }
  }
};
struct Log {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return std::log(x);
  }
};
struct Log1p {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      using R = typename T::value_type;
      // log|1+x| = log1p(2a + a^2 + b^2) / 2.
      const R a = x.real(), b = x.imag();
      return T(std::log1p(2 * a + a * a + b * b) / 2, std::atan2(b, 1 + a));
    } else {
      return std::log1p(x);
    }
  }
};
struct Sigmoid {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsComplex<T>) {
      return T(1) / (T(1) + std::exp(-x));
    } else {
      const T e = std::exp(-std::abs(x));  // never overflows, exact far below zero
      return (x < T(0) ? e : T(1)) / (T(1) + e);
    }
  }
};
#define HR_STD_FUNCTION_(NAME, FUNCTION)     \
  struct NAME {                              \
    template <class T>                       \
    HR_HOST_DEVICE T operator()(T x) const { \
      return std::FUNCTION(x);               \
    }                                        \
  };
HR_STD_FUNCTION_(Tanh, tanh)
HR_STD_FUNCTION_(Sin, sin)
HR_STD_FUNCTION_(Cos, cos)
HR_STD_FUNCTION_(Tan, tan)
HR_STD_FUNCTION_(Asin, asin)
HR_STD_FUNCTION_(Acos, acos)
HR_STD_FUNCTION_(Atan, atan)
HR_STD_FUNCTION_(Sinh, sinh)
HR_STD_FUNCTION_(Cosh, cosh)
HR_STD_FUNCTION_(Asinh, asinh)
HR_STD_FUNCTION_(Acosh, acosh)
HR_STD_FUNCTION_(Atanh, atanh)
HR_STD_FUNCTION_(Erf, erf)
HR_STD_FUNCTION_(Erfc, erfc)
HR_STD_FUNCTION_(Ceil, ceil)
HR_STD_FUNCTION_(Floor, floor)
HR_STD_FUNCTION_(Rint, nearbyint)  // the rounding mode is to nearest, ties to even
#undef HR_STD_FUNCTION_
struct Round {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    if constexpr (kIsInteger<T>) {
      return x;
    } else {
      return std::nearbyint(x);
    }
  }
};
struct Lgamma {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    // std::lgamma writes the sign to a global, a race between threads; the _r functions of the C
    // library do not.
#if defined(__GLIBC__) && !defined(__CUDA_ARCH__)
    int sign;
    if constexpr (sizeof(T) == 4) {
      return lgammaf_r(x, &sign);
    } else {
      return lgamma_r(x, &sign);
    }
#else
    return std::lgamma(x);
#endif
  }
};
// Derivative of Lgamma. Source: Abramowitz and Stegun 6.3.5 (recurrence), 6.3.7
// (reflection), 6.3.18 (asymptotic series).
struct Digamma {
  template <class T>
  HR_HOST_DEVICE T operator()(T argument) const {
    double x = static_cast<double>(argument), result = 0;
    if (x <= 0) {
      // A pole. Its sides disagree; TensorFlow says infinity.
      if (x == std::floor(x)) return std::numeric_limits<T>::infinity();
      constexpr double kPi = 3.14159265358979323846;
      result -= kPi / std::tan(kPi * (x - std::floor(x)));
      x = 1 - x;
    }
    for (; x < 12; x += 1) result -= 1 / x;
    const double y = 1 / (x * x);
    const double series =
        y * (1.0 / 12 -
             y * (1.0 / 120 -
                  y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760))))));
    return static_cast<T>(result + std::log(x) - 0.5 / x - series);
  }
};
// Hurwitz zeta: sum over k >= 0 of (q + k)^-x. Source: Euler-Maclaurin summation (Abramowitz and
// Stegun 23.1.30).
struct Zeta {
  template <class T>
  HR_HOST_DEVICE T operator()(T exponent, T start) const {
    const double x = static_cast<double>(exponent);
    double q = static_cast<double>(start), sum = 0;
    if (x == 1) return std::numeric_limits<T>::infinity();
    if (!(x > 1)) return std::numeric_limits<T>::quiet_NaN();
    if (q <= 0) {
      if (q == std::floor(q)) return std::numeric_limits<T>::infinity();  // a pole
      if (x != std::floor(x) || q < -1e6)
        return std::numeric_limits<T>::quiet_NaN();  // a power of a negative number
    }
    if (!(q < std::numeric_limits<double>::infinity()))
      return q > 0 ? T(0) : std::numeric_limits<T>::quiet_NaN();
    for (; q < 12; q += 1) sum += std::pow(q, -x);
    double term = std::pow(q, -x);
    sum += term * q / (x - 1) + 0.5 * term;
    // B_2j / (2j)! for j = 1, 2, ...
    constexpr double kFactors[] = {1.0 / 12,
                                   -1.0 / 720,
                                   1.0 / 30240,
                                   -1.0 / 1209600,
                                   1.0 / 47900160,
                                   -691.0 / 1307674368000.0,
                                   1.0 / 74724249600.0,
                                   -3617.0 / 10670622842880000.0};
    double rising = x;
    term /= q;
    for (int j = 0; j < 8; ++j) {
      sum += kFactors[j] * rising * term;
      rising *= (x + 2 * j + 1) * (x + 2 * j + 2);
      term /= q * q;
    }
    return static_cast<T>(sum);
  }
};
// Derivative of order n of Digamma. Source: Abramowitz and Stegun 6.4.10.
struct Polygamma {
  template <class T>
  HR_HOST_DEVICE T operator()(T order, T x) const {
    const double n = static_cast<double>(order);
    if (n == 0) return Digamma{}(x);
    if (!(n > 0) || n != std::floor(n)) return std::numeric_limits<T>::quiet_NaN();
    const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
    return static_cast<T>(sign * std::tgamma(n + 1) * Zeta{}(n + 1, static_cast<double>(x)));
  }
};
struct IsNan {
  template <class T>
  HR_HOST_DEVICE bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf {
  template <class T>
  HR_HOST_DEVICE bool operator()(T x) const {
    return x == std::numeric_limits<T>::infinity() || x == -std::numeric_limits<T>::infinity();
  }
};
struct IsFinite {
  template <class T>
  HR_HOST_DEVICE bool operator()(T x) const {
    return std::abs(x) <= std::numeric_limits<T>::max();
  }
};
struct LogicalNot {
  HR_HOST_DEVICE bool operator()(bool x) const { return !x; }
};
struct Conj {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return std::conj(x);
  }
};
struct Real {
  template <class T>
  HR_HOST_DEVICE auto operator()(T x) const {
    return x.real();
  }
};
struct Imag {
  template <class T>
  HR_HOST_DEVICE auto operator()(T x) const {
    return x.imag();
  }
};
struct Angle {
  template <class T>
  HR_HOST_DEVICE auto operator()(T x) const {
    return std::arg(x);
  }
};

// Two arguments.

struct Add {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) + static_cast<Wrapping<T>>(y));
  }
};
struct Sub {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) - static_cast<Wrapping<T>>(y));
  }
};
// Division; of integers towards zero. REQUIRES for integers: y != 0.
struct Div {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsInteger<T> && std::is_signed_v<T>) {
      if (y == T(-1)) return Neg{}(x);  // the lowest value has no negative: wrap instead of a trap
    }
    return static_cast<T>(x / y);
  }
};
struct FloorDiv {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsInteger<T>) {
      const T quotient = Div{}(x, y);
      if constexpr (std::is_signed_v<T>) {
        if (y != T(-1) && x % y != 0 && (x < 0) != (y < 0)) return static_cast<T>(quotient - 1);
      }
      return quotient;
    } else {
      return std::floor(x / y);
    }
  }
};
// Remainder with the sign of x. REQUIRES for integers: y != 0.
struct TruncateMod {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsInteger<T>) {
      if constexpr (std::is_signed_v<T>) {
        if (y == T(-1)) return 0;
      }
      return static_cast<T>(x % y);
    } else {
      return std::fmod(x, y);
    }
  }
};
// Remainder with the sign of y. REQUIRES for integers: y != 0.
struct FloorMod {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    const T rest = TruncateMod{}(x, y);
    return rest != T(0) && (rest < T(0)) != (y < T(0)) ? static_cast<T>(rest + y) : rest;
  }
};
struct DivNoNan {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return y == T(0) ? T(0) : x / y;
  }
};
struct MulNoNan {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return y == T(0) ? T(0) : Mul{}(x, y);
  }
};
struct Xdivy {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return x == T(0) ? T(0) : x / y;
  }
};
struct Xlogy {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return x == T(0) ? T(0) : Mul{}(x, static_cast<T>(std::log(y)));
  }
};
// REQUIRES for integers: y >= 0.
struct Pow {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    if constexpr (kIsInteger<T>) {
      T result = 1;
      for (T base = x; y > 0; y = static_cast<T>(y >> 1), base = Mul{}(base, base)) {
        if (y & 1) result = Mul{}(result, base);
      }
      return result;
    } else {
      return std::pow(x, y);
    }
  }
};
struct Maximum {  // NaN in x stays, NaN in y is passed over
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return x < y ? y : x;
  }
};
struct Minimum {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return y < x ? y : x;
  }
};
struct SquaredDifference {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    const T d = Sub{}(x, y);
    if constexpr (kIsComplex<T>) {
      return Mul{}(d, std::conj(d));
    } else {
      return Mul{}(d, d);
    }
  }
};
struct Atan2 {
  template <class T>
  HR_HOST_DEVICE T operator()(T y, T x) const {
    return std::atan2(y, x);
  }
};
struct Complex {
  template <class T>
  HR_HOST_DEVICE std::complex<T> operator()(T real, T imag) const {
    return {real, imag};
  }
};

#define HR_COMPARISON_(NAME, OPERATOR)                             \
  struct NAME {                                                    \
    template <class T>                                             \
    HR_HOST_DEVICE bool operator()(const T& x, const T& y) const { \
      return x OPERATOR y;                                         \
    }                                                              \
  };
HR_COMPARISON_(Equal, ==)
HR_COMPARISON_(NotEqual, !=)
HR_COMPARISON_(Less, <)
HR_COMPARISON_(LessEqual, <=)
HR_COMPARISON_(Greater, >)
HR_COMPARISON_(GreaterEqual, >=)
#undef HR_COMPARISON_
struct LogicalAnd {
  HR_HOST_DEVICE bool operator()(bool x, bool y) const { return x & y; }
};
struct LogicalOr {
  HR_HOST_DEVICE bool operator()(bool x, bool y) const { return x | y; }
};

// Integers: their bits.

struct BitwiseAnd {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(x & y);
  }
};
struct BitwiseOr {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(x | y);
  }
};
struct BitwiseXor {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(x ^ y);
  }
};
// Places to shift by: what the type has.
template <class T>
HR_HOST_DEVICE T ShiftPlaces(T y) {
  constexpr T kMost = 8 * sizeof(T) - 1;
  return y < T(0) ? T(0) : y > kMost ? kMost : y;
}
struct LeftShift {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(static_cast<Wrapping<T>>(x) << static_cast<Wrapping<T>>(ShiftPlaces(y)));
  }
};
struct RightShift {
  template <class T>
  HR_HOST_DEVICE T operator()(T x, T y) const {
    return static_cast<T>(x >> ShiftPlaces(y));
  }
};
struct Invert {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return static_cast<T>(~x);
  }
};
struct PopulationCount {
  template <class T>
  HR_HOST_DEVICE uint8_t operator()(T x) const {
    uint64_t bits = static_cast<std::make_unsigned_t<T>>(x);
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<uint8_t>(bits * 0x0101010101010101u >> 56);
  }
};

// Gradients by the result y of the function and the incoming gradient dy. Of complex ones,
// sigmoid's and tanh's take the conjugate of y from their caller, the others conjugate themselves
// (as the TensorFlow ops do).

template <class T>
HR_HOST_DEVICE T Conjugate(T x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}
struct SigmoidGrad {
  template <class T>
  HR_HOST_DEVICE T operator()(T y, T dy) const {
    return Mul{}(Mul{}(dy, y), T(1) - y);
  }
};
struct TanhGrad {
  template <class T>
  HR_HOST_DEVICE T operator()(T y, T dy) const {
    return Mul{}(dy, T(1) - Mul{}(y, y));
  }
};
// Nothing flows back where nothing came in, also at 0, where the slope is infinite: as TensorFlow.
struct SqrtGrad {
  template <class T>
  HR_HOST_DEVICE T operator()(T y, T dy) const {
    if (dy == T(0)) return T(0);
    return Mul{}(dy, T(0.5)) / Conjugate(y);
  }
};
// Nothing comes back from nothing, also where y is infinite: as of SqrtGrad.
struct RsqrtGrad {
  template <class T>
  HR_HOST_DEVICE T operator()(T y, T dy) const {
    if (dy == T(0)) return T(0);
    const T c = Conjugate(y);
    return Mul{}(Mul{}(Mul{}(dy, T(-0.5)), c), Mul{}(c, c));
  }
};
struct ReciprocalGrad {
  template <class T>
  HR_HOST_DEVICE T operator()(T y, T dy) const {
    if (dy == T(0)) return T(0);
    const T c = Conjugate(y);
    return Mul{}(-dy, Mul{}(c, c));
  }
};

}  // namespace headrace::fn
