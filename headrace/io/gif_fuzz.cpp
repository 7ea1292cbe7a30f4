// GIF images of any bytes.
#include <cstdint>

#include "headrace/io/gif.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto frames = headrace::DecodeGif({reinterpret_cast<const char*>(data), size});
  if (frames.ok() && (frames->rank() != 4 || frames->dim(3) != 3)) __builtin_trap();
  return 0;
}
