// Record files of any bytes, in each compression: never a crash, and what was read can be written
// again.
#include <cstdint>
#include <string>

#include "headrace/io/record_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using headrace::Compression;
  if (size == 0) return 0;
  const auto compression = static_cast<Compression>(data[0] % 3);
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto reader = headrace::RecordReader::FromBytes(bytes, "fuzz", {.compression = compression});
  std::string_view record;
  int64_t total = 0;
  for (;;) {
    const auto more = reader->Next(&record);
    if (!more.ok() || !*more) break;
    total += static_cast<int64_t>(record.size()) + 16;
  }
  if (total != reader->offset()) __builtin_trap();
  return 0;
}
