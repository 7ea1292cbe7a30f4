// A value that outlives its step: in a queue, a staging area.
#pragma once

#include "headrace/tensor/tensor.h"

namespace headrace {

// Shares the bytes where they may be kept. Those of a step's arena, and of arrays that belong to
// the program, may not; and a few rows of a large tensor would keep all of it.
inline Tensor KeptValue(const Tensor& value) {
  const bool ours = value.owns_buffer() && value.buffer()->allocator() != nullptr;
  return ours && value.buffer()->size_bytes() <= 2 * value.size_bytes() + 64 ? value
                                                                             : value.Clone();
}

}  // namespace headrace
