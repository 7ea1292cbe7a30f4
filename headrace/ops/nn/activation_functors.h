// The arithmetic of activation functions and their gradients on single elements, for CPU and CUDA
// kernels.
//
//   float y = fn::Relu{}(x);
//   float dx = fn::ReluGrad{}(dy, x);
//
// NaN passes through the functions. 16-bit floats are widened to float32 by the caller. Functions
// that have a parameter hold it as `alpha`.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "headrace/ops/math/functors.h"

namespace headrace::fn {

// exp(x) without branches or calls, so that loops of it are vectorised: relative error below 1e-7,
// 0 where the result would be denormal. Source: x = n log 2 + r with |r| <= log(2) / 2, exp(r) by
// its Taylor series.
[[gnu::always_inline]] HR_HOST_DEVICE inline float FastExp(float x) {
  const float argument = x;
  x = x > 89.0f ? 89.0f : x;
  x = x < -88.0f ? -88.0f : x;
  const float shifted = x * 1.44269504088896341f + 12582912.0f;  // the sum rounds to a whole number
  const int32_t n = std::bit_cast<int32_t>(shifted) - 0x4B400000;
  const float whole = shifted - 12582912.0f;
  float r = x - whole * 0.693359375f;  // log 2 in two parts
  r = r + whole * 2.12194440e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // 2^n in two factors, since n may be 128.
  const int32_t half = n >> 1;
  const float y =
      p * std::bit_cast<float>((half + 127) << 23) * std::bit_cast<float>((n - half + 127) << 23);
  return argument < -87.3365f ? 0.0f : y;
}
HR_HOST_DEVICE inline double FastExp(double x) {
  return std::exp(x);
}

// log(1 + e) for e in [0, 1]. Source: 2 artanh(e / (2 + e)) by its series.
[[gnu::always_inline]] HR_HOST_DEVICE inline float FastLog1p(float e) {
  const float s = e / (2.0f + e), t = s * s;
  float p = 1.0f / 15;
  p = p * t + 1.0f / 13;
  p = p * t + 1.0f / 11;
  p = p * t + 1.0f / 9;
  p = p * t + 1.0f / 7;
  p = p * t + 1.0f / 5;
  p = p * t + 1.0f / 3;
  return 2.0f * s * (1.0f + t * p);
}
HR_HOST_DEVICE inline double FastLog1p(double e) {
  return std::log1p(e);
}

struct Relu {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
};
struct ReluGrad {
  template <class T>
  HR_HOST_DEVICE T operator()(T dy, T x) const {
    return static_cast<T>(dy * (x > T(0) ? T(1) : T(0)));
  }
};
struct Relu6 {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    const T y = x < T(0) ? T(0) : x;
    return y > T(6) ? T(6) : y;
  }
};
struct Relu6Grad {
  template <class T>
  HR_HOST_DEVICE T operator()(T dy, T x) const {
    return static_cast<T>(dy * (((x > T(0)) & (x < T(6))) ? T(1) : T(0)));
  }
};
struct LeakyRelu {
  float alpha = 0.2f;
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return x > T(0) ? x : static_cast<T>(x * static_cast<T>(alpha));
  }
};
struct LeakyReluGrad {
  float alpha = 0.2f;
  template <class T>
  HR_HOST_DEVICE T operator()(T dy, T x) const {
    return x > T(0) ? dy : static_cast<T>(dy * static_cast<T>(alpha));
  }
};
struct Elu {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    const T below = FastExp(x) - T(1);
    return x < T(0) ? below : x;
  }
};
struct EluGrad {  // of the result y
  template <class T>
  HR_HOST_DEVICE T operator()(T dy, T y) const {
    return y < T(0) ? (y + T(1)) * dy : dy;
  }
};
// Source: Klambauer et al., "Self-normalizing neural networks", 2017.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct Selu {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    const T below = T(kSeluScaleAlpha) * (FastExp(x) - T(1));
    return x < T(0) ? below : T(kSeluScale) * x;
  }
};
struct SeluGrad {  // of the result y
  template <class T>
  HR_HOST_DEVICE T operator()(T dy, T y) const {
    return y < T(0) ? dy * (y + T(kSeluScaleAlpha)) : dy * T(kSeluScale);
  }
};
// max(x, 0) + log(1 + exp(-|x|)): never overflows.
struct Softplus {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    const T above = x < T(0) ? T(0) : x;
    return above + FastLog1p(FastExp(x < T(0) ? x : -x));
  }
};
struct SoftplusGrad {
  template <class T>
  HR_HOST_DEVICE T operator()(T dy, T x) const {
    return dy / (FastExp(-x) + T(1));
  }
};
struct Softsign {
  template <class T>
  HR_HOST_DEVICE T operator()(T x) const {
    return x / (T(1) + (x < T(0) ? -x : x));
  }
};
struct SoftsignGrad {
  template <class T>
  HR_HOST_DEVICE T operator()(T dy, T x) const {
    const T d = T(1) + (x < T(0) ? -x : x);
    return dy / (d * d);
  }
};

}  // namespace headrace::fn
