// Dropout: random elements become 0, so that a network does not rely on any of them.
//
//   Output y = Dropout(x, 0.5, {.seed = 3});           // training
//   Output z = Dropout(x, rate);                       // rate: a tensor, 0 when evaluating
#pragma once

#include <optional>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct DropoutOptions {
  // Shape of the random choice, which broadcasts to x: dimensions of 1 are kept or dropped
  // together. Default: that of x.
  std::optional<IntArg> noise_shape;
  std::optional<int64_t> seed;
  std::string name;  // "" = "dropout"
};
// Each element is dropped with probability `rate`, the others are multiplied by 1 / (1 - rate).
// From other ops, so each run draws anew and gradients follow. Shapes: `[...] -> [...]`. DTypes:
// floats. A rate of 0 gives x itself. Errors: InvalidArgument for another dtype, or a rate outside
// [0, 1). Source: tf.nn.dropout; Srivastava et al., "Dropout", 2014.
Output Dropout(Output x, double rate, DropoutOptions o = {}, Location where = Location::Current());
Output Dropout(Output x, Output rate, DropoutOptions o = {}, Location where = Location::Current());

}  // namespace headrace
