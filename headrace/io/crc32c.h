// CRC-32C (Castagnoli), the checksum of records, tables and checkpoints.
//
//   const uint32_t stored = MaskCrc32c(Crc32c(data, size));
//   crc = ExtendCrc32c(crc, more, more_size);   // crc of the concatenation
//
// Stateless, thread-safe. Uses the processor's instruction where it has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headrace {

uint32_t ExtendCrc32c(uint32_t crc, const void* data, size_t size_bytes);
inline uint32_t Crc32c(const void* data, size_t size_bytes) {
  return ExtendCrc32c(0, data, size_bytes);
}
inline uint32_t Crc32c(std::string_view bytes) {
  return ExtendCrc32c(0, bytes.data(), bytes.size());
}

// What files hold: a checksum of data that has checksums in it would be weak, so they are
// disguised.
constexpr uint32_t MaskCrc32c(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}
constexpr uint32_t UnmaskCrc32c(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

namespace internal {
// The two ways, so that a test can compare them. The second works without the instruction too.
uint32_t ExtendCrc32cPortable(uint32_t crc, const void* data, size_t size_bytes);
}  // namespace internal

}  // namespace headrace
