// Text as Unicode characters, and in other encodings.
//
//   DecodedText d = UnicodeDecode(lines, "UTF-8");      // all characters, and where each line ends
//   Output wide = UnicodeTranscode(lines, "Shift_JIS", "UTF-16-BE");
//
// Input encodings are UTF-8, UTF-16 and UTF-32 (BE, LE, or by a byte order mark, which is looked for in
// each text; TensorFlow keeps that of the first), and those that the C library's iconv knows, where
// TensorFlow asks ICU: names and their tables are the same for the usual ones. Gradient: none.
// Source: TensorFlow UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeTranscode,
// UnicodeScript.
#pragma once

#include <string>
#include <string_view>

#include "headrace/ops/options.h"

namespace headrace {

struct UnicodeOptions {
  std::string errors = "replace";           // what is no character: or "ignore", "strict"
  int64_t replacement_char = 0xFFFD;        // in its place
  bool replace_control_characters = false;  // 0 to 31 are no characters either
  DType splits_type = DType::kInt64;        // of DecodedText::row_splits
  std::string name;
};

struct DecodedText {
  Output row_splits;   // [n + 1]: text i has the characters from row_splits[i] to row_splits[i + 1]
  Output char_values;  // int32
  Output starts;  // int64: at which byte of its text each begins; UnicodeDecodeWithOffsets only
};
// Shapes: any with n elements -> [n + 1], [?]. Errors: InvalidArgument "Invalid formatting on input
// string" (strict), "Could not create converter for input encoding: NAME".
DecodedText UnicodeDecode(Output text, std::string_view input_encoding, UnicodeOptions o = {},
                          Location where = Location::Current());
DecodedText UnicodeDecodeWithOffsets(Output text, std::string_view input_encoding,
                                     UnicodeOptions o = {}, Location where = Location::Current());

// The other way: `output_encoding` is "UTF-8", "UTF-16-BE" or "UTF-32-BE". Shapes: [m], [n + 1] -> [n].
// Errors: InvalidArgument for splits that do not begin with 0, fall, or go beyond the values, and
// (strict) for numbers beyond Unicode's.
Output UnicodeEncode(Output values, Output splits, std::string_view output_encoding,
                     UnicodeOptions o = {}, Location where = Location::Current());

// Shapes: any -> the same. Errors: as of UnicodeDecode.
Output UnicodeTranscode(Output text, std::string_view input_encoding,
                        std::string_view output_encoding, UnicodeOptions o = {},
                        Location where = Location::Current());

// The script of each character as ICU numbers them; -1 of what is no code point. Shapes: any -> the
// same, int32.
Output UnicodeScript(Output codes, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
