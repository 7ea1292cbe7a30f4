// Drawing classes by their log-probabilities. For kernels.
#pragma once

#include "headrace/ops/random/philox.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// The number of samples, once logits and it have been checked. Errors: InvalidArgument.
StatusOr<int64_t> CheckMultinomial(const Tensor& logits, const Tensor& num_samples);
// Fills `out`, [rows of logits, samples] of int32 or int64. One row after the other from one
// sequence. (TensorFlow does so too when the work is small; what it draws from a large batch
// depends on its number of threads.)
void DrawMultinomial(const Tensor& logits, int64_t samples, const Philox& generator, Tensor& out);

}  // namespace headrace
