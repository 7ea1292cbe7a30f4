// Random numbers that follow from a seed alone: the same in every step.
//
//   Output x = StatelessRandomNormal({2, 3}, Const(g, {int64_t{1}, int64_t{2}}));
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct StatelessOptions {
  DType dtype = DType::kFloat32;
  std::string name;
};
// Shapes: `shape, [2] -> shape`. DTypes: float16, bfloat16, float32, float64; seed int32, int64.
// The numbers are TensorFlow's, bit for bit. Errors: InvalidArgument for a seed of another shape, a
// negative dimension. Gradient: none. Source: TensorFlow StatelessRandomUniform,
// StatelessRandomNormal, StatelessTruncatedNormal.
Output StatelessRandomUniform(IntArg shape, Output seed, StatelessOptions o = {},
                              Location where = Location::Current());
Output StatelessRandomNormal(IntArg shape, Output seed, StatelessOptions o = {},
                             Location where = Location::Current());
Output StatelessTruncatedNormal(IntArg shape, Output seed, StatelessOptions o = {},
                                Location where = Location::Current());
// Integers of [minval, maxval), both scalars of one dtype (int32 or int64). Errors: InvalidArgument
// "Need minval < maxval". Source: TensorFlow StatelessRandomUniformInt.
Output StatelessRandomUniformInt(IntArg shape, Output seed, Output minval, Output maxval,
                                 OpOptions o = {}, Location where = Location::Current());

struct StatelessMultinomialOptions {
  DType output_dtype = DType::kInt64;  // or int32
  std::string name;
};
// Classes drawn from unnormalised log-probabilities. Shapes: `[b, classes], [], [2] -> [b,
// num_samples]`. DTypes: float16, float32, float64. Source: TensorFlow StatelessMultinomial.
Output StatelessMultinomial(Output logits, IntArg num_samples, Output seed,
                            StatelessMultinomialOptions o = {},
                            Location where = Location::Current());

}  // namespace headrace
