// Base-128 integers and little-endian words, as protocol buffers, LevelDB tables and records use
// them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace headrace {

// Takes a varint off the front of `bytes`; false (bytes unchanged) when it is cut short or longer
// than 64 bits.
inline bool TakeVarint(std::string_view* bytes, uint64_t* value) {
  uint64_t result = 0;
  for (size_t i = 0; i < bytes->size() && i < 10; ++i) {
    const auto byte = static_cast<uint8_t>((*bytes)[i]);
    if (i == 9 && byte > 1) return false;
    result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      *value = result;
      return true;
    }
  }
  return false;
}

inline void AppendVarint(uint64_t value, std::string* bytes) {
  while (value >= 0x80) {
    bytes->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes->push_back(static_cast<char>(value));
}

inline uint32_t LoadU32(const void* data) {
  uint32_t value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}
inline uint64_t LoadU64(const void* data) {
  uint64_t value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}
inline void StoreU32(uint32_t value, void* data) {
  std::memcpy(data, &value, sizeof(value));
}
inline void StoreU64(uint64_t value, void* data) {
  std::memcpy(data, &value, sizeof(value));
}

}  // namespace headrace
