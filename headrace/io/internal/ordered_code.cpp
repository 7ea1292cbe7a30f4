#include "headrace/io/internal/ordered_code.h"

#include <bit>
#include <cstdint>

namespace headrace {
namespace {

// The number of bytes, then the bytes from the highest.
void AppendNumber(uint64_t value, std::string* key) {
  const int length = (64 - std::countl_zero(value) + 7) / 8;
  key->push_back(static_cast<char>(length));
  for (int i = length - 1; i >= 0; --i) key->push_back(static_cast<char>(value >> (8 * i)));
}

// Bytes 0 and 255 are followed by their opposite; 0 1 ends the text.
void AppendText(std::string_view text, std::string* key) {
  for (const char c : text) {
    key->push_back(c);
    if (c == '\0') key->push_back('\xff');
    if (c == '\xff') key->push_back('\0');
  }
  key->append({'\0', '\1'});
}

// Two's complement from the highest byte; as many leading bits as there are bytes are the inverse
// of the sign bit, and the sign bit follows them.
void AppendSigned(int64_t value, std::string* key) {
  const uint64_t magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  const int bits = 64 - std::countl_zero(magnitude);
  const int length = bits / 7 + 1;  // each byte loses one bit to the header; one more is the sign
  char bytes[10];
  for (int i = 0; i < 10; ++i) {
    const int shift = 8 * (9 - i);
    bytes[i] = static_cast<char>(shift >= 64 ? (value < 0 ? 0xff : 0) : value >> shift);
  }
  char* first = bytes + 10 - length;
  if (length <= 8) {
    first[0] = static_cast<char>(first[0] ^ static_cast<uint8_t>(0xff00 >> length));
  } else {
    first[0] = static_cast<char>(first[0] ^ 0xff);
    first[1] = static_cast<char>(first[1] ^ (length == 9 ? 0x80 : 0xc0));
  }
  key->append(first, static_cast<size_t>(length));
}

}  // namespace

std::string SliceKey(std::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendNumber(0, &key);
  AppendText(name, &key);
  AppendNumber(static_cast<uint64_t>(slice.rank()), &key);
  for (int i = 0; i < slice.rank(); ++i) {
    AppendSigned(slice.extent(i).start, &key);
    AppendSigned(slice.extent(i).length, &key);
  }
  return key;
}

}  // namespace headrace
