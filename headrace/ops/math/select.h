// Elements from one of two tensors.
//
//   Output relu = Select(Greater(x, 0.0f), x, ZerosLike(x));
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// t where the condition is true, e elsewhere. Shapes: t and e equal; condition the same, or a
// scalar, or a vector of their dimension 0 that chooses rows. DTypes: bool condition, any t.
// Errors: InvalidArgument for other shapes. Gradient: to t and e. Source: TensorFlow Select
// (tf.where with three arguments).
Output Select(Output condition, Output t, Output e, OpOptions o = {},
              Location where = Location::Current());
// The same with NumPy broadcasting of all three. Source: TensorFlow SelectV2.
Output SelectV2(Output condition, Output t, Output e, OpOptions o = {},
                Location where = Location::Current());

}  // namespace headrace
