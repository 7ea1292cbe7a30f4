// What begin, end, strides and the five masks of StridedSlice mean for an input of some shape. For
// its kernels and shape functions.
#pragma once

#include <array>

#include "headrace/graph/attr.h"
#include "headrace/ops/array/int_values.h"

namespace headrace {

struct StridedSliceMasks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  static StridedSliceMasks FromAttrs(const AttrMap& attrs);
};

struct ResolvedSlice {
  // For each dimension of the input; begins and sizes are right only where everything was known.
  std::array<int64_t, kMaxRank> begin{}, stride{}, size{};
  int rank = 0;
  PartialShape shape;  // of the result
};

// `begin` and `end` may be null: not known yet. Errors: InvalidArgument with TensorFlow's texts.
StatusOr<ResolvedSlice> ResolveStridedSlice(const PartialShape& in, const IntValues* begin,
                                            const IntValues* end, const IntValues& strides,
                                            const StridedSliceMasks& masks);

}  // namespace headrace
