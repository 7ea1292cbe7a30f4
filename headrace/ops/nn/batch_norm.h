// Batch normalisation: each channel is brought to mean 0 and variance 1, then scaled and shifted.
//
//   // Training, with the statistics of the batch; inference, with given ones.
//   FusedBatchNormOutputs n = FusedBatchNorm(x, scale, offset);
//   Output z = FusedBatchNorm(x, scale, offset, mean, variance).y;
//   auto [mean, variance] = Moments(x, {0, 1, 2});
#pragma once

#include "headrace/ops/math/reduce.h"
#include "headrace/ops/options.h"

namespace headrace {

struct FusedBatchNormOptions {
  float epsilon = 0.001f;            // added to the variance; at least 1.001e-5
  std::string data_format = "NHWC";  // or "NCHW"
  std::string name;                  // "" = "FusedBatchNormV3"
};
struct FusedBatchNormOutputs {
  Output y;         // like x
  Output mean;      // [c]
  Output variance;  // [c], of the population that the batch is a sample of (n - 1)
};
// (x - mean) / sqrt(variance + epsilon) * scale + offset. Shapes: `[n, h, w, c], [c], [c] -> [n, h,
// w, c], [c], [c]`. DTypes: x float16 or float32; the rest float32. Errors: InvalidArgument for
// other shapes. Gradient: to x, scale and offset, twice. Sums are taken in an order that depends on
// the shape alone. Source: TensorFlow FusedBatchNormV3, tf.nn.fused_batch_norm; Ioffe and Szegedy,
// "Batch normalization", 2015.
FusedBatchNormOutputs FusedBatchNorm(Output x, Output scale, Output offset,
                                     FusedBatchNormOptions o = {},
                                     Location where = Location::Current());
// With given statistics instead of those of the batch.
FusedBatchNormOutputs FusedBatchNorm(Output x, Output scale, Output offset, Output mean,
                                     Output variance, FusedBatchNormOptions o = {},
                                     Location where = Location::Current());

// Mean and variance (of the elements themselves) over axes, from other ops. float16 is computed in
// float32. Source: tf.nn.moments.
struct MomentsOptions {
  bool keep_dims = false;
  std::string name;  // "" = "moments"
};
struct MomentsOutputs {
  Output mean, variance;
};
MomentsOutputs Moments(Output x, std::vector<int64_t> axes, MomentsOptions o = {},
                       Location where = Location::Current());

// The same normalisation from other ops, over whatever axes the statistics broadcast; `offset` and
// `scale` may be invalid (none). Source: tf.nn.batch_normalization.
Output BatchNormalization(Output x, Output mean, Output variance, Output offset, Output scale,
                          float variance_epsilon, OpOptions o = {},
                          Location where = Location::Current());

}  // namespace headrace
