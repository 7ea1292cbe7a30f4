// Characters of text in an encoding, one after another.
//
//   HR_ASSIGN_OR_RETURN(std::unique_ptr<TextDecoder> decoder, TextDecoder::For("UTF-8"));
//   decoder->Start();
//   while (!rest.empty()) { const Character c = decoder->Next(rest); rest.remove_prefix(c.bytes); }
//
// What is ill-formed counts as one wrong character for each of its longest parts that could have
// begun one, as the Unicode standard recommends. A decoder serves one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/status.h"

namespace headrace {

inline constexpr uint32_t kReplacementCharacter = 0xFFFD;

struct Character {
  uint32_t code = kReplacementCharacter;
  size_t bytes = 0;    // at least 1
  bool wrong = false;  // the bytes stand for no character
};

class TextDecoder {
 public:
  virtual ~TextDecoder() = default;
  // UTF-8, UTF-16 and UTF-32 (BE, LE, or by a byte order mark; hyphens, underscores and case do not
  // matter), and what the C library's iconv knows by that name. Errors: InvalidArgument "Could not
  // create converter for input encoding: NAME".
  static StatusOr<std::unique_ptr<TextDecoder>> For(const std::string& encoding);

  // Before the first character of a text.
  virtual void Start() {}
  // The first character of what is left of a text, which is not empty.
  virtual Character Next(std::string_view rest) = 0;
};

// The first character of UTF-8.
Character NextOfUtf8(std::string_view rest);

enum class TextForm : uint8_t { kUtf8, kUtf16Be, kUtf32Be };

// Surrogates, which UTF-8 cannot hold, become the replacement character there.
void AppendCharacter(uint32_t code, TextForm form, std::string& text);

}  // namespace headrace
