// BMP images of any bytes.
#include <cstdint>

#include "headrace/io/bmp.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto image = headrace::DecodeBmp({reinterpret_cast<const char*>(data), size});
  if (image.ok() && static_cast<size_t>(image->num_elements()) > size) __builtin_trap();
  return 0;
}
