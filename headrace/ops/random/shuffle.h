// Random order of the rows of a tensor, and draws from categories.
//
//   Output rows = RandomShuffle(x, {.seed = 3});
//   Output drawn = Multinomial(logits, 5);               // [batch, classes] -> [batch, 5], int64
#pragma once

#include <optional>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct RandomShuffleOptions {
  std::optional<int64_t> seed;
  std::string name;
};
// A random permutation along dimension 0. DTypes: every one. Gradient: none (as in TensorFlow).
// Source: TensorFlow RandomShuffle.
Output RandomShuffle(Output value, RandomShuffleOptions o = {},
                     Location where = Location::Current());

struct MultinomialOptions {
  std::optional<int64_t> seed;
  DType output_dtype = DType::kInt64;  // or int32
  std::string name;
};
// For each row of unnormalised log-probabilities, `num_samples` indices of classes. Shapes: `[b,
// c], [] -> [b, num_samples]`. DTypes: logits float16, float32, float64. Errors: InvalidArgument
// for no classes, or a negative num_samples. Gradient: none. Source: TensorFlow Multinomial
// (tf.random.categorical).
Output Multinomial(Output logits, IntArg num_samples, MultinomialOptions o = {},
                   Location where = Location::Current());

}  // namespace headrace
