// One sparse tensor from several, and several from one: kernels of ops that keep sparse tensors
// apart and bring them together.
#pragma once

#include <span>
#include <vector>

#include "headrace/ops/sparse/sparse_input.h"

namespace headrace {

struct SparseParts {
  Tensor indices, values, shape;
};

// Each row (first dimension) by itself. Errors: InvalidArgument "Rank of input SparseTensor should
// be > 1, but saw rank: 1", and those of CheckInBounds.
StatusOr<std::vector<SparseParts>> SplitRows(const SparseInput& in);

// Writes outputs 0 to 2: `parts` along new first dimensions `batch`, the others as large as the
// largest. InvalidArgument "Inconsistent rank across SparseTensors: ...". REQUIRES: one part at
// least, and as many as `batch` says.
Status StackSparse(KernelContext& ctx, std::span<const int64_t> batch,
                   const std::vector<SparseParts>& parts);

}  // namespace headrace
