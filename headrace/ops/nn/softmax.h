// Softmax over the last dimension.
//
//   Output p = Softmax(logits);
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// Shapes: `[..., C] -> [..., C]`, rank 1 at least. DTypes: float16, float32, float64. Numbers of
// any size: the largest of a row is taken off first. Errors: InvalidArgument for a scalar.

// exp(x) / sum(exp(x)). Gradient: from other ops, any number of times. Source: TensorFlow Softmax.
Output Softmax(Output logits, OpOptions o = {}, Location where = Location::Current());
// x - log(sum(exp(x))). Gradient: from other ops, any number of times. Source: TensorFlow
// LogSoftmax.
Output LogSoftmax(Output logits, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
