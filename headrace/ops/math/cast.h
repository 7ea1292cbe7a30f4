// Conversion between dtypes.
//
//   Output f = Cast(pixels, DType::kFloat32);
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct CastOptions {
  bool truncate = false;  // to 16-bit floats: cut the mantissa instead of rounding to nearest
  std::string name;
};
// Shapes: `[...] -> [...]`. DTypes: between bool, all integers, floats and complex numbers. To
// integers: towards zero; NaN and what does not fit give the lowest int32 (or int64) value, cut to
// shorter types. To bool: is it not zero. A tensor that has the dtype already is returned as it is,
// no node is made. Gradient: cast back, between floats and complex numbers; else none. Source:
// TensorFlow Cast.
Output Cast(Output x, DType dtype, CastOptions o = {}, Location where = Location::Current());

}  // namespace headrace
