// The gradient of Concat and ConcatV2: slices of the incoming gradient.
#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

// The values are inputs [first, first + n), the axis is input `axis_input`.
Status SliceConcatGradient(GradContext& c, int first, int axis_input);

}  // namespace headrace
