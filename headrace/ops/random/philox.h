// Philox4x32-10, a counter-based random generator, and how its bits become numbers, exactly as
// TensorFlow's CPU kernels do it: equal seeds give equal bits.
//
//   Philox generator(seed, seed2);
//   generator.Skip(1000);                        // as if 1000 blocks had been drawn: O(1)
//   Philox::Block words = generator.Next();      // four 32-bit words
//   float u = UniformFloat(words[0]);            // [0, 1)
//
// A small value; not thread-safe (threads copy it and Skip to their part).
// Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "headrace/tensor/float16.h"

namespace headrace {

class Philox {
 public:
  using Block = std::array<uint32_t, 4>;
  static constexpr int kWords = 4;  // words of a block

  // The key is `seed`, the high half of the counter `seed2`.
  Philox(uint64_t seed, uint64_t seed2)
      : counter_{0, 0, static_cast<uint32_t>(seed2), static_cast<uint32_t>(seed2 >> 32)},
        key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)} {}

  // Advances the 128-bit counter by `blocks`.
  void Skip(uint64_t blocks) {
    const uint32_t low = static_cast<uint32_t>(blocks);
    uint32_t high = static_cast<uint32_t>(blocks >> 32);
    counter_[0] += low;
    if (counter_[0] < low) ++high;
    counter_[1] += high;
    if (counter_[1] < high && ++counter_[2] == 0) ++counter_[3];
  }

  Block Next() {
    Block c = counter_;
    uint32_t k0 = key_[0], k1 = key_[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53} * c[0];
      const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
      c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(p1),
           static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(p0)};
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    if (++counter_[0] == 0 && ++counter_[1] == 0 && ++counter_[2] == 0) ++counter_[3];
    return c;
  }

 private:
  Block counter_;
  std::array<uint32_t, 2> key_;
};

// The words of a generator one by one.
class PhiloxWords {
 public:
  explicit PhiloxWords(const Philox& generator) : generator_(generator) {}
  uint32_t Next() {
    if (used_ == Philox::kWords) {
      block_ = generator_.Next();
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  Philox generator_;
  Philox::Block block_{};
  int used_ = Philox::kWords;
};

// Uniform in [0, 1): random mantissa bits of a number in [1, 2), less one. A float has 23 random
// bits, a double 52.
inline float UniformFloat(uint32_t word) {
  return std::bit_cast<float>((word & 0x7fffffu) | 0x3f800000u) - 1.0f;
}
inline double UniformDouble(uint32_t high, uint32_t low) {
  return std::bit_cast<double>((uint64_t{high & 0xfffffu} << 32) | low | (uint64_t{1023} << 52)) -
         1.0;
}
inline Half UniformHalf(uint32_t word) {
  return Half(float(Half::FromBits(static_cast<uint16_t>((word & 0x3ffu) | 0x3c00u))) - 1.0f);
}
inline BFloat16 UniformBFloat16(uint32_t word) {
  return BFloat16(float(BFloat16::FromBits(static_cast<uint16_t>((word & 0x7fu) | 0x3f80u))) -
                  1.0f);
}

// Two standard normal numbers from two uniform ones. Source: Box and Muller (1958).
inline float BoxMullerUniform(uint32_t word) { return std::fmax(UniformFloat(word), 1.0e-7f); }
inline float BoxMullerAngle(uint32_t word) {
  return static_cast<float>(2.0f * M_PI * UniformFloat(word));  // product in double, as the source has it
}
inline float BoxMullerRadius(float uniform) { return std::sqrt(-2.0f * std::log(uniform)); }
inline void BoxMuller(uint32_t x0, uint32_t x1, float* n0, float* n1) {
  const float radius = BoxMullerRadius(BoxMullerUniform(x0));
  sincosf(BoxMullerAngle(x1), n0, n1);
  *n0 *= radius;
  *n1 *= radius;
}
inline void BoxMuller(uint32_t x0, uint32_t x1, uint32_t x2, uint32_t x3, double* n0, double* n1) {
  const double u = std::fmax(UniformDouble(x0, x1), 1.0e-7);
  const double angle = 2 * M_PI * UniformDouble(x2, x3);
  const double radius = std::sqrt(-2.0 * std::log(u));
  sincos(angle, n0, n1);
  *n0 *= radius;
  *n1 *= radius;
}

}  // namespace headrace
