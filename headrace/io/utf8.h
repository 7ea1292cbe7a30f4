// Text fields of TensorFlow's messages hold UTF-8 only: readers refuse others, and the library that
// writes them complains on stderr.
#pragma once

#include <string>
#include <string_view>

namespace headrace {

// `text` with U+FFFD in place of what is not UTF-8: one for each longest run of bytes that begins a
// character and does not end it, and for each byte that cannot begin one (as Python's
// errors='replace').
std::string ValidUtf8(std::string_view text);

}  // namespace headrace
