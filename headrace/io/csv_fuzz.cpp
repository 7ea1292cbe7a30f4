// Lines of comma-separated values out of any bytes: never a crash, no field that the line has no
// bytes for.
#include <cstdint>
#include <string>

#include "headrace/io/csv_record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view line(reinterpret_cast<const char*>(data) + 2, size - 2);
  headrace::CsvRecord record(line, {static_cast<char>(data[0]), data[1] % 2 == 0});
  size_t bytes = 0, fields = 0;
  for (;; ++fields) {
    const auto field = record.Next();
    if (!field.ok() || !*field) break;
    bytes += (*field)->size();
    if (fields > line.size() + 1 || bytes > line.size()) __builtin_trap();
  }
  return 0;
}
