// Conversions against a reference in double arithmetic, for every value there is.
#include "headrace/tensor/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headrace {
namespace {

struct Format {
  int mantissa_bits, exponent_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr Format kHalf{10, 5}, kBFloat16{7, 8};

double Decode(uint16_t bits, Format f) {
  const int exponent = (bits >> f.mantissa_bits) & ((1 << f.exponent_bits) - 1);
  const int mantissa = bits & ((1 << f.mantissa_bits) - 1);
  double value;
  if (exponent == (1 << f.exponent_bits) - 1) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(mantissa, 1 - f.bias() - f.mantissa_bits);
  } else {
    value = std::ldexp((1 << f.mantissa_bits) + mantissa, exponent - f.bias() - f.mantissa_bits);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class T>
void ExpectDecodes(Format f) {
  for (int i = 0; i < 65536; ++i) {
    const uint16_t bits = static_cast<uint16_t>(i);
    const float value = static_cast<float>(T::FromBits(bits));
    const double want = Decode(bits, f);
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(value)) << i;
      ASSERT_TRUE(std::isnan(static_cast<float>(T(value)))) << i;
    } else {
      ASSERT_EQ(value, want) << i;
      ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << i;
      ASSERT_EQ(T(value).bits, bits) << "round trip";
    }
  }
}

// The values around each midpoint of two neighbours, where rounding decides.
template <class T>
void ExpectRounds(Format f) {
  const int infinity = ((1 << f.exponent_bits) - 1) << f.mantissa_bits;
  for (int i = 0; i < infinity; ++i) {
    const double low = Decode(static_cast<uint16_t>(i), f);
    // Beyond the largest number the next step would be the power of two that is not there.
    const double high =
        i + 1 < infinity ? Decode(static_cast<uint16_t>(i + 1), f) : std::ldexp(1.0, f.bias() + 1);
    const float middle = static_cast<float>((low + high) / 2);
    ASSERT_EQ(static_cast<double>(middle), (low + high) / 2);
    const float below = std::nextafter(middle, 0.0f), above = std::nextafter(middle, HUGE_VALF);
    const int even = (i & 1) == 0 ? i : i + 1;
    for (int sign : {0, 0x8000}) {
      const float s = sign != 0 ? -1.0f : 1.0f;
      ASSERT_EQ(T(s * middle).bits, even | sign) << "tie above " << low;
      ASSERT_EQ(T(s * below).bits, i | sign) << "below the middle above " << low;
      ASSERT_EQ(T(s * above).bits, (i + 1) | sign) << "above the middle above " << low;
    }
  }
}

TEST(Half, EveryValueDecodesAndComesBack) {
  ExpectDecodes<Half>(kHalf);
}
TEST(BFloat16, EveryValueDecodesAndComesBack) {
  ExpectDecodes<BFloat16>(kBFloat16);
}
TEST(Half, RoundsToNearestTiesToEven) {
  ExpectRounds<Half>(kHalf);
}
TEST(BFloat16, RoundsToNearestTiesToEven) {
  ExpectRounds<BFloat16>(kBFloat16);
}

TEST(Half, Extremes) {
  EXPECT_EQ(Half(HUGE_VALF).bits, 0x7c00);
  EXPECT_EQ(Half(-3e38f).bits, 0xfc00);
  EXPECT_EQ(Half(1e-30f).bits, 0);
  EXPECT_EQ(Half(-1e-30f).bits, 0x8000);
  EXPECT_TRUE(std::isnan(static_cast<float>(Half(std::nanf("")))));
  EXPECT_EQ(BFloat16(HUGE_VALF).bits, 0x7f80);
  EXPECT_EQ(BFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
  // A NaN whose upper bits are those of infinity must stay one.
  EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(std::bit_cast<float>(0x7f800001u)))));
}

TEST(Half, ArithmeticGoesThroughFloat) {
  Half x(2048.0f);
  x += Half(1.0f);
  EXPECT_EQ(static_cast<float>(x), 2048.0f);  // half a step, to even
  x *= Half(0.5f);
  x -= Half(24.0f);
  EXPECT_EQ(static_cast<float>(x), 1000.0f);
  EXPECT_EQ(static_cast<float>(Half(7)), 7.0f);
  static_assert(static_cast<float>(Half(0.5f)) == 0.5f);
}

}  // namespace
}  // namespace headrace
