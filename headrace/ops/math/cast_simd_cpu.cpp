// Loops of conversions, for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/math/cast_simd_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include <bit>
#include <cmath>
#include <limits>

#include "headrace/ops/math/cast_kernels.h"
#include "headrace/ops/math/functors.h"
#include "headrace/tensor/dispatch.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {
namespace {

constexpr DTypeSet kCastable = kNumberTypes | DTypeSet(DType::kBool);

template <class T>
inline constexpr bool kIs16 = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// To a whole number as x86 converts: what does not fit (and NaN) gives the lowest value.
template <class Int, class Float>
Int ToWhole(Float x) {
  constexpr Float kLow = static_cast<Float>(std::numeric_limits<Int>::min());
  // The limits are powers of two, exact in Float.
  return x >= kLow && x < -kLow ? static_cast<Int>(x) : std::numeric_limits<Int>::min();
}

template <class To, class From>
To FloatToInteger(From x) {
  if constexpr (std::is_same_v<To, uint64_t>) {
    constexpr From kHalfRange = static_cast<From>(9223372036854775808.0);
    if (x >= kHalfRange)
      return static_cast<uint64_t>(ToWhole<int64_t>(x - kHalfRange)) ^ (uint64_t{1} << 63);
    return static_cast<uint64_t>(ToWhole<int64_t>(x));
  } else if constexpr (sizeof(To) == 8 || std::is_same_v<To, uint32_t>) {
    return static_cast<To>(ToWhole<int64_t>(x));
  } else {
    return static_cast<To>(ToWhole<int32_t>(x));
  }
}

template <class To, class From>
To Convert(const From& x) {
  if constexpr (fn::kIsComplex<From>) {
    if constexpr (fn::kIsComplex<To>) {
      return To(static_cast<typename To::value_type>(x.real()),
                static_cast<typename To::value_type>(x.imag()));
    } else {
      return Convert<To>(x.real());
    }
  } else if constexpr (kIs16<From> && !std::is_same_v<From, To>) {
    return Convert<To>(static_cast<float>(x));
  } else if constexpr (fn::kIsComplex<To>) {
    return To(Convert<typename To::value_type>(x), 0);
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return FloatToInteger<To>(x);
  } else if constexpr (kIs16<To>) {
    return To(static_cast<float>(x));
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void Loop(const void* x_data, void* y_data, int64_t n) {
  const From* x = static_cast<const From*>(x_data);
  To* y = static_cast<To*>(y_data);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = Convert<To>(x[i]);
}

// The mantissa cut, not rounded. NaN stays NaN.
float CutMantissa(float x, int kept_bits) {
  if (x != x) return x;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) &
                              ~((uint32_t{1} << (23 - kept_bits)) - 1));
}
template <class From, class To>
void TruncatingLoop(const void* x_data, void* y_data, int64_t n) {
  const From* x = static_cast<const From*>(x_data);
  To* y = static_cast<To*>(y_data);
  constexpr int kBits = std::is_same_v<To, Half> ? 10 : 7;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = To(CutMantissa(Convert<float>(x[i]), kBits));
}

}  // namespace

CastRow FindRow(DType from, DType to, bool truncate) {
  CastRow row = nullptr;
  DispatchDType<kCastable>(from, [&]<class From>() {
    DispatchDType<kCastable>(to, [&]<class To>() {
      row = Loop<From, To>;
      if constexpr (kIs16<To> && std::is_floating_point_v<From>) {
        if (truncate) row = TruncatingLoop<From, To>;
      }
    });
  });
  return row;
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {
HWY_EXPORT(FindRow);
}  // namespace

CastRow FindCastRow(DType from, DType to, bool truncate) {
  return HWY_DYNAMIC_DISPATCH(FindRow)(from, to, truncate);
}

}  // namespace headrace
#endif
