// What is known of characters: the case of letters, their scripts. Unicode 11, as in TensorFlow 1.15.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headrace {

// UTF-8 in lower or upper case by the full mapping without a language: "Straße" becomes "STRASSE", a
// final sigma is found. What is ill-formed becomes the replacement character.
std::string LowerOfUtf8(std::string_view text);
std::string UpperOfUtf8(std::string_view text);

// The number of the script as ICU has it (25: Latin; 103: unknown); -1 of what is no code point.
int32_t ScriptOf(int32_t code);

}  // namespace headrace
