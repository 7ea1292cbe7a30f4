// Lines and records of one length out of any bytes, in each compression: never a crash, and memory
// only for what the data holds.
#include <cstdint>
#include <string>

#include "headrace/io/text_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using headrace::Compression;
  if (size < 5) return 0;
  const auto compression = static_cast<Compression>(data[0] % 3);
  const std::string bytes(reinterpret_cast<const char*>(data) + 5, size - 5);
  std::string_view next;
  auto lines = headrace::LineReader::FromBytes(bytes, "fuzz", {.compression = compression});
  for (;;) {
    const auto more = lines->Next(&next);
    if (!more.ok() || !*more) break;
    if (next.find_first_of("\r\n") != std::string_view::npos) __builtin_trap();
  }
  auto records = headrace::FixedRecordReader::FromBytes(bytes, "fuzz",
                                                        {.record_bytes = data[1],
                                                         .header_bytes = data[2],
                                                         .footer_bytes = data[3],
                                                         .hop_bytes = data[4],
                                                         .compression = compression});
  if (!records.ok()) return 0;
  for (;;) {
    const auto more = (*records)->Next(&next);
    if (!more.ok() || !*more) break;
    if (next.size() != data[1]) __builtin_trap();
  }
  return 0;
}
