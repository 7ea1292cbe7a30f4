// Batch normalisation by given moments, as graphs from before TensorFlow 1 have it (Inception v3 of
// 2015). New programs use BatchNormalization or FusedBatchNorm (batch_norm.h).
//
//   Output y = BatchNormWithGlobalNormalization(t, m, v, beta, gamma, {.variance_epsilon = 1e-3f});
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct BatchNormWithGlobalNormalizationOptions {
  float variance_epsilon = 0;
  bool scale_after_normalization = true;  // false: gamma is not read
  std::string name;
};
// (t - m) / sqrt(v + epsilon) * gamma + beta. Shapes: t `[n, h, w, c]`, the others `[c]` -> `[n, h,
// w, c]`. DTypes: float16, float32, float64. Errors: InvalidArgument for other shapes.
// Gradient: yes, once. Source: TensorFlow BatchNormWithGlobalNormalization, which its versions
// since 9 refuse to make but still run.
Output BatchNormWithGlobalNormalization(Output t, Output m, Output v, Output beta, Output gamma,
                                        BatchNormWithGlobalNormalizationOptions o = {},
                                        Location where = Location::Current());

}  // namespace headrace
