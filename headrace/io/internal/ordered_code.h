// Keys that sort like what they stand for: how checkpoints name the parts of a partitioned
// variable.
#pragma once

#include <string>
#include <string_view>

#include "headrace/io/tensor_slice.h"

namespace headrace {

// The key of one part: it starts with a zero byte, so that no variable's own name can be equal to
// it.
std::string SliceKey(std::string_view name, const TensorSlice& slice);

// True for keys made by SliceKey.
inline bool IsSliceKey(std::string_view key) {
  return key.starts_with('\0');
}

}  // namespace headrace
