// The arithmetic of BroadcastGradientArgs, for its kernel, its shape function and gradients made at
// graph time.
#pragma once

#include <array>
#include <span>

#include "headrace/ops/array/int_values.h"

namespace headrace {

// Axes of the broadcast result over which a gradient is summed for operand 0 and for operand 1:
// those where the operand has dimension 1 or none. Source: TensorFlow (an axis where both have 1
// belongs to both).
struct BroadcastReduction {
  std::array<int64_t, kMaxRank> axes0, axes1;
  int size0 = 0, size1 = 0;
};
// Errors: InvalidArgument "Incompatible shapes: [2,3] vs. [4,3]".
StatusOr<BroadcastReduction> ReductionOfBroadcast(std::span<const int64_t> s0,
                                                  std::span<const int64_t> s1);

}  // namespace headrace
