// Tensors of random numbers: uniform, normal, truncated normal.
//
//   Output w = TruncatedNormal(g, {784, 500}, {.stddev = 0.1f, .seed = 7, .name = "w"});
//   Output u = RandomUniform(g, {2, 3});                                     // [0, 1)
//   Output i = RandomUniform(g, {5}, {.minval = 0, .maxval = 10, .dtype = DType::kInt32});
//
// The numbers follow from the graph's seed and the op's as in TensorFlow 1, bit for bit on the CPU,
// whatever the number of threads; each run of a session draws the next ones. Without any seed they
// differ each time.
#pragma once

#include <optional>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Builder functions of the graph that TensorFlow's functions of the same name make: `shape`,
// `mean`, `stddev`, the op proper, `mul`, and the sum that carries `name`. Shapes: an int32 or
// int64 vector, or dimensions. DTypes: float16, bfloat16, float32, float64; RandomUniform also
// int32 and int64, where `maxval` is required.
// Errors: InvalidArgument for a negative dimension, or minval >= maxval of integers (when run).
// Gradient: none with respect to the random numbers; mean, stddev, minval and maxval get theirs.

struct RandomNormalOptions {
  double mean = 0;
  double stddev = 1;
  DType dtype = DType::kFloat32;
  std::optional<int64_t> seed;
  std::string name;
};
Output RandomNormal(Graph& g, IntArg shape, RandomNormalOptions o = {},
                    Location where = Location::Current());
// Values further than two standard deviations from the mean are drawn again.
Output TruncatedNormal(Graph& g, IntArg shape, RandomNormalOptions o = {},
                       Location where = Location::Current());

struct RandomUniformOptions {
  double minval = 0;
  std::optional<double> maxval;  // exclusive; 1 if not given (floating types)
  DType dtype = DType::kFloat32;
  std::optional<int64_t> seed;
  std::string name;
};
Output RandomUniform(Graph& g, IntArg shape, RandomUniformOptions o = {},
                     Location where = Location::Current());

// The ops proper, with both seeds as attributes (both 0: different each time).
struct RandomOpOptions {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string name;
};
// Op RandomUniform: [0, 1).
Output StandardUniform(Output shape, DType dtype, RandomOpOptions o = {},
                       Location where = Location::Current());
// Op RandomStandardNormal: mean 0, standard deviation 1.
Output StandardNormal(Output shape, DType dtype, RandomOpOptions o = {},
                      Location where = Location::Current());
// Op TruncatedNormal: the same, within (-2, 2).
Output StandardTruncatedNormal(Output shape, DType dtype, RandomOpOptions o = {},
                               Location where = Location::Current());
// Op RandomUniformInt: integers of [minval, maxval), both scalars of one dtype (int32 or int64).
// Slightly biased unless maxval - minval is a power of two.
Output RandomUniformInt(Output shape, Output minval, Output maxval, RandomOpOptions o = {},
                        Location where = Location::Current());

}  // namespace headrace
