#include "headrace/io/crc32c.h"

#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace headrace {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78u;  // bit-reversed

using Table = std::array<std::array<uint32_t, 256>, 8>;

// Row k: the register after a byte and k zero bytes.
constexpr Table MakeTable() {
  Table table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[0][i] = crc;
  }
  for (uint32_t i = 0; i < 256; ++i) {
    for (size_t k = 1; k < 8; ++k) {
      table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 0xff];
    }
  }
  return table;
}
constexpr Table kTable = MakeTable();

inline uint64_t Load64(const uint8_t* p) {
  uint64_t value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

// Works on the register itself (not inverted); eight bytes a round.
uint32_t PortableRegister(uint32_t crc, const uint8_t* p, size_t size) {
  for (; size >= 8; p += 8, size -= 8) {
    const uint64_t word = Load64(p) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTable[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; size > 0; ++p, --size) crc = (crc >> 8) ^ kTable[0][(crc ^ *p) & 0xff];
  return crc;
}

#if defined(__x86_64__)

// Appending zero bytes is linear in the register: a 32 x 32 bit matrix, here as four tables of
// bytes.
class ZeroBytes {
 public:
  explicit ZeroBytes(size_t count) {
    std::array<uint32_t, 32> result, power;
    for (uint32_t i = 0; i < 32; ++i) {
      result[i] = uint32_t{1} << i;
      power[i] = PortableRegister(uint32_t{1} << i, reinterpret_cast<const uint8_t*>(""), 1);
    }
    for (; count > 0; count >>= 1) {
      if ((count & 1) != 0) result = Product(power, result);
      power = Product(power, power);
    }
    for (size_t k = 0; k < 4; ++k) {
      for (uint32_t i = 0; i < 256; ++i) tables_[k][i] = Apply(result, i << (8 * k));
    }
  }
  uint32_t operator()(uint32_t crc) const {
    return tables_[0][crc & 0xff] ^ tables_[1][(crc >> 8) & 0xff] ^ tables_[2][(crc >> 16) & 0xff] ^
           tables_[3][crc >> 24];
  }

 private:
  using Matrix = std::array<uint32_t, 32>;
  static uint32_t Apply(const Matrix& matrix, uint32_t vector) {
    uint32_t sum = 0;
    for (size_t i = 0; vector != 0; ++i, vector >>= 1) {
      if ((vector & 1) != 0) sum ^= matrix[i];
    }
    return sum;
  }
  static Matrix Product(const Matrix& a, const Matrix& b) {
    Matrix product;
    for (size_t i = 0; i < 32; ++i) product[i] = Apply(a, b[i]);
    return product;
  }
  std::array<std::array<uint32_t, 256>, 4> tables_;
};

// The instruction has a latency of three cycles: three streams side by side keep it busy.
template <size_t kBlock>
__attribute__((target("sse4.2"))) uint32_t ThreeStreams(uint64_t crc, const uint8_t*& p,
                                                        size_t& size) {
  static const ZeroBytes append(kBlock);
  for (; size >= 3 * kBlock; p += 3 * kBlock, size -= 3 * kBlock) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kBlock; i += 8) {
      crc = _mm_crc32_u64(crc, Load64(p + i));
      second = _mm_crc32_u64(second, Load64(p + kBlock + i));
      third = _mm_crc32_u64(third, Load64(p + 2 * kBlock + i));
    }
    crc = append(static_cast<uint32_t>(crc)) ^ second;
    crc = append(static_cast<uint32_t>(crc)) ^ third;
  }
  return static_cast<uint32_t>(crc);
}

__attribute__((target("sse4.2"))) uint32_t HardwareRegister(uint32_t start, const uint8_t* p,
                                                            size_t size) {
  uint32_t crc = start;
  if (size >= 3 * 4096) crc = ThreeStreams<4096>(crc, p, size);
  if (size >= 3 * 256) crc = ThreeStreams<256>(crc, p, size);
  uint64_t wide = crc;
  for (; size >= 8; p += 8, size -= 8) wide = _mm_crc32_u64(wide, Load64(p));
  crc = static_cast<uint32_t>(wide);
  for (; size > 0; ++p, --size) crc = _mm_crc32_u8(crc, *p);
  return crc;
}

#endif

}  // namespace

uint32_t internal::ExtendCrc32cPortable(uint32_t crc, const void* data, size_t size_bytes) {
  return ~PortableRegister(~crc, static_cast<const uint8_t*>(data), size_bytes);
}

uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t size_bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction)
    return ~HardwareRegister(~crc, static_cast<const uint8_t*>(data), size_bytes);
#endif
  return internal::ExtendCrc32cPortable(crc, data, size_bytes);
}

}  // namespace headrace
