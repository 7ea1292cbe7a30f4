// 16-bit floating-point storage types: IEEE binary16 (Half) and bfloat16. Arithmetic goes through
// float; conversion from float rounds to nearest, ties to even.
#pragma once

#include <bit>
#include <cstdint>

namespace headrace {

struct Half {
  uint16_t bits = 0;

  constexpr Half() = default;
  constexpr explicit Half(float value) : bits(FromFloat(value)) {}
  template <class T>
  constexpr explicit Half(T value) : Half(static_cast<float>(value)) {}
  constexpr operator float() const { return ToFloat(bits); }  // NOLINT: reads like a number
  static constexpr Half FromBits(uint16_t b) {
    Half h;
    h.bits = b;
    return h;
  }
  constexpr Half& operator+=(Half b) { return *this = Half(float(*this) + float(b)); }
  constexpr Half& operator-=(Half b) { return *this = Half(float(*this) - float(b)); }
  constexpr Half& operator*=(Half b) { return *this = Half(float(*this) * float(b)); }

 private:
  static constexpr uint16_t FromFloat(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    const uint32_t sign = (f >> 16) & 0x8000u;
    const uint32_t mag = f & 0x7fffffffu;
    if (mag > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);   // NaN
    if (mag >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to infinity
    if (mag < 0x38800000u) {                                               // subnormal or zero
      if (mag < 0x33000000u) return static_cast<uint16_t>(sign);
      const uint32_t shift = 126 - (mag >> 23);
      const uint32_t mantissa = (mag & 0x7fffffu) | 0x800000u;
      const uint32_t rest = mantissa & ((1u << shift) - 1);
      const uint32_t half = 1u << (shift - 1);
      uint32_t result = mantissa >> shift;
      if (rest > half || (rest == half && (result & 1))) ++result;
      return static_cast<uint16_t>(sign | result);
    }
    const uint32_t rounded = mag + 0xfffu + ((mag >> 13) & 1) - (112u << 23);
    return static_cast<uint16_t>(sign | (rounded >> 13));
  }
  static constexpr float ToFloat(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
    const uint32_t exponent = (h >> 10) & 0x1fu;
    const uint32_t mantissa = h & 0x3ffu;
    if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
    if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
    const float value = static_cast<float>(mantissa) * 5.9604644775390625e-08f;  // 2^-24
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
};

struct BFloat16 {
  uint16_t bits = 0;

  constexpr BFloat16() = default;
  constexpr explicit BFloat16(float value) {
    const uint32_t f = std::bit_cast<uint32_t>(value);
    bits = (f & 0x7fffffffu) > 0x7f800000u ? static_cast<uint16_t>((f >> 16) | 0x40u)
                                           : static_cast<uint16_t>((f + 0x7fffu + ((f >> 16) & 1)) >> 16);
  }
  template <class T>
  constexpr explicit BFloat16(T value) : BFloat16(static_cast<float>(value)) {}
  constexpr operator float() const {  // NOLINT: reads like a number
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
  static constexpr BFloat16 FromBits(uint16_t b) {
    BFloat16 x;
    x.bits = b;
    return x;
  }
  constexpr BFloat16& operator+=(BFloat16 b) { return *this = BFloat16(float(*this) + float(b)); }
  constexpr BFloat16& operator-=(BFloat16 b) { return *this = BFloat16(float(*this) - float(b)); }
  constexpr BFloat16& operator*=(BFloat16 b) { return *this = BFloat16(float(*this) * float(b)); }
};

}  // namespace headrace
