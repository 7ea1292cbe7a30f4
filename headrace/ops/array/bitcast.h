// The same bytes seen as another dtype.
//
//   Output bits = Bitcast(x, DType::kInt32);      // float32 [n] -> int32 [n]
//   Output bytes = Bitcast(x, DType::kUInt8);     // float32 [n] -> uint8 [n, 4]
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// Shapes: `[...] -> [...]`; to a type of smaller elements `[...] -> [..., k]`, to one of larger
// elements `[..., k] -> [...]`, where k is how many of the smaller make one of the larger. DTypes:
// numbers, quantized ones too. Errors: InvalidArgument where the last dimension is not k. Gradient:
// error. Source: TensorFlow Bitcast.
Output Bitcast(Output x, DType type, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
