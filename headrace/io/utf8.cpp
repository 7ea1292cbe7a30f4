#include "headrace/io/utf8.h"

#include <cstdint>

namespace headrace {
namespace {

// What follows the first byte of a character: how many bytes, and between which bounds the next one
// lies. (The bounds keep out longer forms of short characters, halves of surrogate pairs, and what
// lies beyond U+10FFFF.)
struct Following {
  int count = -1;  // -1: cannot begin a character
  uint8_t low = 0x80, high = 0xbf;
};

Following After(uint8_t first) {
  if (first < 0x80) return {.count = 0};
  if (first < 0xc2) return {};
  if (first < 0xe0) return {.count = 1};
  if (first < 0xf0) {
    return {.count = 2,
            .low = static_cast<uint8_t>(first == 0xe0 ? 0xa0 : 0x80),
            .high = static_cast<uint8_t>(first == 0xed ? 0x9f : 0xbf)};
  }
  if (first > 0xf4) return {};
  return {.count = 3,
          .low = static_cast<uint8_t>(first == 0xf0 ? 0x90 : 0x80),
          .high = static_cast<uint8_t>(first == 0xf4 ? 0x8f : 0xbf)};
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    Following following = After(static_cast<uint8_t>(text[0]));
    size_t length = 1;
    for (; following.count > 0 && length < text.size(); ++length, --following.count) {
      const auto next = static_cast<uint8_t>(text[length]);
      if (next < following.low || next > following.high) break;
      following = {.count = following.count};
    }
    if (following.count == 0) {
      valid.append(text.substr(0, length));
    } else {
      valid.append("\xef\xbf\xbd");
    }
    text.remove_prefix(length);
  }
  return valid;
}

}  // namespace headrace
