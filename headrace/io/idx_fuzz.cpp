// IDX files of any bytes: never a crash, never more memory than the file can stand for.
#include <cstdint>

#include "headrace/io/idx_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tensor = headrace::ParseIdx({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (tensor.ok() && tensor->size_bytes() > (size + 1024) * 1032) __builtin_trap();
  return 0;
}
