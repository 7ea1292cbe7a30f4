// Where in the user's program a node was made.
//
//   Output Relu(Output x, Options o = {}, Location where = Location::Current());
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

namespace headrace {

struct Location {
  const char* file = "";  // never null; lives for the whole process
  uint32_t line = 0;      // 0 = unknown

#if defined(__cpp_lib_source_location)
  static constexpr Location Current(std::source_location where = std::source_location::current()) {
    return Location{where.file_name(), where.line()};
  }
#else  // Clang before 16
  static constexpr Location Current(const char* file = __builtin_FILE(), uint32_t line = __builtin_LINE()) {
    return Location{file, line};
  }
#endif
  // A location whose file name comes from elsewhere (a Python program, a graph file); the name is
  // kept for the life of the process, once for each distinct name.
  static Location Of(std::string_view file, uint32_t line);

  bool known() const { return line != 0; }
  // "model.cpp:41" (file name without folders), or "" when unknown.
  std::string ToString() const;
};

}  // namespace headrace
