// The sum of several tensors of one shape.
//
//   Output total = AddN({a, b, c});
#pragma once

#include <initializer_list>
#include <span>

#include "headrace/ops/options.h"

namespace headrace {

// Added from left to right. Shapes: all equal. DTypes: numbers. Errors: InvalidArgument for none,
// or for different shapes. Gradient: the incoming one to each. Source: TensorFlow AddN.
Output AddN(std::span<const Output> inputs, OpOptions o = {}, Location where = Location::Current());
inline Output AddN(std::initializer_list<Output> inputs, OpOptions o = {},
                   Location where = Location::Current()) {
  return AddN(std::span(inputs.begin(), inputs.size()), std::move(o), where);
}

// The same as one node of op AccumulateNV2. Source: TensorFlow AccumulateNV2 (tf.accumulate_n).
Output AccumulateN(std::span<const Output> inputs, OpOptions o = {},
                   Location where = Location::Current());

}  // namespace headrace
