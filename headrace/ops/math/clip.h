// Elements kept within bounds.
//
//   Output g = ClipByValue(gradient, Const(graph, -1.0f), Const(graph, 1.0f));
#pragma once

#include "headrace/ops/math/operand.h"
#include "headrace/ops/options.h"

namespace headrace {

// max(min(t, high), low). Shapes: `low` and `high` are scalars or of the shape of t. DTypes: real
// numbers. Errors: InvalidArgument for bounds of another shape. Gradient: to t where it is within
// the bounds, to a bound where that was taken. Source: TensorFlow ClipByValue. (tf.clip_by_value is
// Minimum and Maximum; see train/clip.h.)
Output ClipByValue(Output t, Operand low, Operand high, OpOptions o = {},
                   Location where = Location::Current());

}  // namespace headrace
