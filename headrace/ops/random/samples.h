// Samples of gamma and Poisson distributions, and of normal ones between bounds.
//
//   Output x = RandomGamma(g, {100}, Const(g, {0.5f, 2.0f}));         // [100, 2]
//   Output n = RandomPoisson(g, {100}, Const(g, 3.5f));               // [100]
//
// The numbers follow from the graph's seed and the op's as in TensorFlow 1, bit for bit on the CPU.
#pragma once

#include <optional>

#include "headrace/ops/random/random_fill.h"

namespace headrace {

struct RandomGammaOptions {
  Output beta;  // inverse scale, broadcast with alpha; default: 1
  std::optional<int64_t> seed;
  std::string name;
};
// Builder of the graph that tf.random_gamma makes. Shapes: `shape, alpha -> shape + alpha.shape`.
// DTypes: float16, float32, float64. Errors: InvalidArgument for a negative dimension. Gradient: to
// alpha (by implicit differentiation) and beta. Source: TensorFlow RandomGamma; Marsaglia and
// Tsang, A Simple Method for Generating Gamma Variables, 2000.
Output RandomGamma(Graph& g, IntArg shape, Output alpha, RandomGammaOptions o = {},
                   Location where = Location::Current());
// The op proper, with both seeds as attributes.
Output StandardGamma(Output shape, Output alpha, RandomOpOptions o = {},
                     Location where = Location::Current());
// The derivative of a sample with respect to alpha. Shapes broadcast. DTypes: float32, float64.
// Gradient: error. Source: TensorFlow RandomGammaGrad.
Output RandomGammaGrad(Output alpha, Output sample, OpOptions o = {},
                       Location where = Location::Current());

struct RandomPoissonOptions {
  DType dtype = DType::kFloat32;  // of the samples: float16, float32, float64, int32, int64
  std::optional<int64_t> seed;
  std::string name;
};
// Builder of the graph that tf.random_poisson makes. Shapes: `shape, rate -> shape + rate.shape`.
// DTypes: rates float16, float32, float64, int32, int64. Gradient: error. Source: TensorFlow
// RandomPoissonV2; Hoermann, The transformed rejection method for generating Poisson random
// variables, 1993 (rates from 10 on), Knuth (below).
Output RandomPoisson(Graph& g, IntArg shape, Output rate, RandomPoissonOptions o = {},
                     Location where = Location::Current());

struct ParameterizedTruncatedNormalOptions {
  std::optional<int64_t> seed;
  std::string name;
};
// Normal numbers between bounds. Shapes: each parameter a scalar, [1], or [shape[0]]. DTypes:
// float16, float32, float64. Errors: InvalidArgument "Invalid parameters" for a deviation that is
// not positive, bounds that are not in order or both infinite. Gradient: none. Source: TensorFlow
// ParameterizedTruncatedNormal; Robert, Simulation of truncated normal variables, 1995.
Output ParameterizedTruncatedNormal(Graph& g, IntArg shape, Output means, Output stdevs,
                                    Output minvals, Output maxvals,
                                    ParameterizedTruncatedNormalOptions o = {},
                                    Location where = Location::Current());

struct RandomCropOptions {
  std::optional<int64_t> seed;
  std::string name;
};
// A part of that size at a random place. Shapes: `[d...], [rank] -> size`. DTypes: every one.
// Errors: InvalidArgument for a part larger than the whole. Gradient: through Slice. Source:
// tf.random_crop.
Output RandomCrop(Output value, IntArg size, RandomCropOptions o = {},
                  Location where = Location::Current());
// The older op for images: `[height, width, channels], [2] -> [size..., channels]`. DTypes: real
// numbers. Errors: FailedPrecondition where the image is too small. Gradient: none. Source:
// TensorFlow RandomCrop.
Output RandomCropImage(Output image, Output size, RandomOpOptions o = {},
                       Location where = Location::Current());

}  // namespace headrace
