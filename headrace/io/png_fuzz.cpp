// PNG images of any bytes; what can be read can be written and read again.
#include <cstdint>
#include <cstring>

#include "headrace/io/png.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const auto dtype = data[0] < 128 ? headrace::DType::kUInt8 : headrace::DType::kUInt16;
  const auto image =
      headrace::DecodePng({reinterpret_cast<const char*>(data) + 1, size - 1}, data[0] % 5, dtype);
  if (!image.ok()) return 0;
  const auto bytes = headrace::EncodePng(*image, 1);
  if (!bytes.ok()) __builtin_trap();
  const auto again = headrace::DecodePng(*bytes, 0, dtype);
  if (!again.ok() || std::memcmp(again->raw_data(), image->raw_data(), image->size_bytes()) != 0)
    __builtin_trap();
  return 0;
}
