// Checking index tensors, and saying which index was wrong. For kernels.
#pragma once

#include <vector>

#include "headrace/base/strings.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// "1,0": the place of flat element `flat` in a tensor of that shape.
std::string IndexText(const Shape& shape, int64_t flat);

// Position of the first of `count` indices outside [0, limit), or -1.
template <class I>
int64_t FirstBadIndex(const I* indices, int64_t count, int64_t limit) {
  bool bad = false;
  for (int64_t i = 0; i < count; ++i)
    bad |= static_cast<uint64_t>(static_cast<int64_t>(indices[i])) >= static_cast<uint64_t>(limit);
  if (!bad) return -1;
  for (int64_t i = 0; i < count; ++i) {
    if (static_cast<uint64_t>(static_cast<int64_t>(indices[i])) >= static_cast<uint64_t>(limit))
      return i;
  }
  return -1;
}

// InvalidArgument "<what>[1,0] = -1 is not in [0, 4)" for the first index of an int32 or int64
// tensor outside [0, limit).
Status CheckIndices(const Tensor& indices, int64_t limit, std::string_view what = "indices");

// For [..., k] indices whose vectors name slices of a tensor of shape `whole`: the position of each
// slice, counted in slices. InvalidArgument "indices[1] = [0, 9] does not index into <what>[2,3]".
Status NdOffsets(const Tensor& indices, int k, const Shape& whole, std::string_view what,
                 std::vector<int64_t>& offsets);

// Shapes of indices and updates of a scatter into `whole`; gives k. InvalidArgument when they do
// not fit together.
StatusOr<int> CheckNdShapes(const Shape& indices, const Shape& updates, const Shape& whole);

}  // namespace headrace
