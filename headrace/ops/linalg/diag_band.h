// Which diagonals of a matrix an op of the MatrixDiag family means: the input `k` of its versions
// 2, or the main diagonal. For shape functions and kernels.
#pragma once

#include <algorithm>
#include <optional>

#include "headrace/graph/shape_context.h"

namespace headrace {

// Diagonals lower..upper: 0 is the main one, positive ones lie above it.
struct DiagBand {
  int64_t lower = 0, upper = 0;

  int64_t count() const { return upper - lower + 1; }
  // Length of the longest of them.
  int64_t LongestIn(int64_t rows, int64_t cols) const {
    return std::min(rows + std::min<int64_t>(upper, 0), cols - std::max<int64_t>(lower, 0));
  }
};

// The band that a tensor of one or two numbers states. Errors: InvalidArgument, as TensorFlow's.
StatusOr<DiagBand> DiagBandOf(const Tensor& k);
// The same of input `k` of a node; the main diagonal for ops without it (`k` < 0); nothing while
// the value is not known.
StatusOr<std::optional<DiagBand>> DiagBandOf(const ShapeContext& c, int k);
// Errors: InvalidArgument "lower_diag_index is out of bound: 5. It must be between -2 and 3".
Status CheckBandFits(const DiagBand& band, int64_t rows, int64_t cols);

}  // namespace headrace
