// Cross products.
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// Of vectors of three numbers in the last dimension. Shapes: `[..., 3], [..., 3] -> [..., 3]`.
// DTypes: real numbers of CPU kernels. Errors: InvalidArgument when the shapes differ or the last
// dimension is not 3. Gradient: two cross products, differentiable again. Source: TensorFlow Cross.
Output Cross(Output a, Output b, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
