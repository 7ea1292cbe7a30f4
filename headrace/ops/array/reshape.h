// The same elements seen with another shape. No bytes move.
//
//   Output flat = Reshape(images, {-1, 784});
//   Output row = ExpandDims(x, 0);
#pragma once

#include <cstdint>
#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// One dimension of `shape` may be -1: it follows from the number of elements. DTypes: every one;
// shape int32 or int64. Errors: InvalidArgument when the numbers of elements differ. Gradient:
// reshaped back. Source: TensorFlow Reshape.
Output Reshape(Output x, IntArg shape, OpOptions o = {}, Location where = Location::Current());

// A dimension of 1 at `axis` in [-rank-1, rank]. Gradient: reshaped back. Source: TensorFlow
// ExpandDims.
Output ExpandDims(Output x, IntArg axis, OpOptions o = {}, Location where = Location::Current());

struct SqueezeOptions {
  std::vector<int64_t> axis;  // dimensions of 1 to drop; empty = all
  std::string name;
};
// Errors: InvalidArgument for an axis whose dimension is not 1. Gradient: reshaped back. Source:
// TensorFlow Squeeze.
Output Squeeze(Output x, SqueezeOptions o = {}, Location where = Location::Current());

}  // namespace headrace
