#include "headrace/ops/strings/unicode_text.h"

#include <iconv.h>

#include <cerrno>
#include <optional>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

bool IsSurrogate(uint32_t code) {
  return code >= 0xD800 && code < 0xE000;
}

Character Wrong(size_t bytes) {
  return {.bytes = bytes, .wrong = true};
}

class Utf8Decoder final : public TextDecoder {
 public:
  Character Next(std::string_view rest) override { return NextOfUtf8(rest); }
};

// Units of 2 or 4 bytes.
class WideDecoder final : public TextDecoder {
 public:
  WideDecoder(size_t unit, std::optional<bool> little) : unit_(unit), stated_(little) { Start(); }

  void Start() override {
    little_ = stated_.value_or(false);
    at_start_ = !stated_.has_value();
  }

  Character Next(std::string_view rest) override {
    const bool marked = at_start_ && HasMark(rest);
    at_start_ = false;
    if (!marked) return NextOf(rest);
    rest.remove_prefix(unit_);
    Character next = rest.empty() ? Wrong(0) : NextOf(rest);
    next.bytes += unit_;  // the mark counts as a part of it
    return next;
  }

 private:
  bool HasMark(std::string_view rest) {
    if (rest.size() < unit_) return false;
    for (const bool little : {false, true}) {
      little_ = little;
      if (Unit(rest) == 0xFEFF) return true;
    }
    little_ = false;
    return false;
  }

  uint32_t Unit(std::string_view bytes) const {
    uint32_t unit = 0;
    for (size_t i = 0; i < unit_; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[little_ ? unit_ - 1 - i : i]);
      unit = unit << 8 | byte;
    }
    return unit;
  }

  Character NextOf(std::string_view rest) const {
    if (rest.size() < unit_) return Wrong(rest.size());
    const uint32_t first = Unit(rest);
    if (unit_ == 4) return IsSurrogate(first) || first > 0x10FFFF ? Wrong(4) : Character{first, 4};
    if (!IsSurrogate(first)) return {first, 2};
    if (first >= 0xDC00) return Wrong(2);
    if (rest.size() < 4) return Wrong(rest.size());
    const uint32_t second = Unit(rest.substr(2));
    if (second < 0xDC00 || second > 0xDFFF) return Wrong(2);
    return {0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), 4};
  }

  const size_t unit_;
  const std::optional<bool> stated_;  // little endian; absent: by a mark, else big endian
  bool little_ = false, at_start_ = false;
};

// What the C library converts.
class IconvDecoder final : public TextDecoder {
 public:
  explicit IconvDecoder(iconv_t converter) : converter_(converter) {}
  IconvDecoder(const IconvDecoder&) = delete;
  IconvDecoder& operator=(const IconvDecoder&) = delete;
  ~IconvDecoder() override { iconv_close(converter_); }

  void Start() override { iconv(converter_, nullptr, nullptr, nullptr, nullptr); }

  Character Next(std::string_view rest) override {
    char* in = const_cast<char*>(rest.data());  // iconv only reads there
    size_t in_left = rest.size();
    unsigned char code[4];
    char* out = reinterpret_cast<char*>(code);
    size_t out_left = sizeof(code);  // room for one character: it stops after that
    iconv(converter_, &in, &in_left, &out, &out_left);
    const size_t bytes = rest.size() - in_left;
    if (out_left == 0)
      return {uint32_t{code[0]} << 24 | uint32_t{code[1]} << 16 | uint32_t{code[2]} << 8 | code[3],
              bytes};
    if (errno == EINVAL) return Wrong(rest.size());  // the text ends within a character
    return Wrong(bytes + 1 <= rest.size() ? bytes + 1 : rest.size());
  }

 private:
  const iconv_t converter_;
};

// "UTF-16-BE" and "utf_16be" are one.
std::string PlainName(const std::string& encoding) {
  std::string name;
  for (char c : ToLower(encoding)) {
    if (c != '-' && c != '_' && c != ' ') name += c;
  }
  return name;
}

}  // namespace

StatusOr<std::unique_ptr<TextDecoder>> TextDecoder::For(const std::string& encoding) {
  const std::string name = PlainName(encoding);
  if (name == "utf8") return std::make_unique<Utf8Decoder>();
  for (const size_t unit : {size_t{2}, size_t{4}}) {
    const std::string wide = unit == 2 ? "utf16" : "utf32";
    if (name == wide) return std::make_unique<WideDecoder>(unit, std::nullopt);
    if (name == wide + "be") return std::make_unique<WideDecoder>(unit, false);
    if (name == wide + "le") return std::make_unique<WideDecoder>(unit, true);
  }
  // Not an empty name, which iconv takes for the locale's, nor its own suffixes ("//IGNORE").
  if (!name.empty() && encoding.find('/') == std::string::npos) {
    const iconv_t converter = iconv_open("UTF-32BE", encoding.c_str());
    if (converter != reinterpret_cast<iconv_t>(-1))
      return std::make_unique<IconvDecoder>(converter);
  }
  return InvalidArgument("Could not create converter for input encoding: ", encoding);
}

Character NextOfUtf8(std::string_view rest) {
  const auto byte = [rest](size_t i) { return static_cast<unsigned char>(rest[i]); };
  const uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first < 0xC2 || first > 0xF4) return Wrong(1);
  const size_t more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  uint32_t code = first & (0x3Fu >> more);
  // The second byte may not spell what fewer bytes can, a surrogate, or what is beyond 0x10FFFF.
  unsigned least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  unsigned most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  for (size_t i = 1; i <= more; ++i) {
    if (i == rest.size() || byte(i) < least || byte(i) > most) return Wrong(i);
    code = code << 6 | (byte(i) & 0x3Fu);
    least = 0x80;
    most = 0xBF;
  }
  return {code, more + 1};
}

void AppendCharacter(uint32_t code, TextForm form, std::string& text) {
  if (form == TextForm::kUtf8 && IsSurrogate(code)) code = kReplacementCharacter;
  const auto put = [&text](uint32_t byte) { text += static_cast<char>(byte & 0xFF); };
  const auto put_unit = [&put](uint32_t unit) {
    put(unit >> 8);
    put(unit);
  };
  switch (form) {
    case TextForm::kUtf8:
      if (code < 0x80) return put(code);
      if (code < 0x800) {
        put(0xC0 | code >> 6);
      } else {
        if (code < 0x10000) {
          put(0xE0 | code >> 12);
        } else {
          put(0xF0 | code >> 18);
          put(0x80 | (code >> 12 & 0x3F));
        }
        put(0x80 | (code >> 6 & 0x3F));
      }
      return put(0x80 | (code & 0x3F));
    case TextForm::kUtf16Be:
      if (code < 0x10000) return put_unit(code);
      put_unit(0xD800 + ((code - 0x10000) >> 10));
      return put_unit(0xDC00 + ((code - 0x10000) & 0x3FF));
    case TextForm::kUtf32Be:
      put_unit(code >> 16);
      return put_unit(code);
  }
}

}  // namespace headrace
