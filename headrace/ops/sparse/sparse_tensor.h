// Sparse tensors, and ops that move their entries.
//
//   SparseTensor x{indices, values, shape};                  // [n, rank] and [rank] int64, [n]
//   SparseTensor sorted = SparseReorder(x);                  // SparseToDense: ops/array
//
// Indices are in row-major order where an op does not say otherwise (SparseReorder brings them
// there). DTypes of values: every one but variant and quantized ones. Errors: InvalidArgument for
// parts that do not fit together ("Input indices should be a matrix but received shape [2]") and
// indices outside the shape.
#pragma once

#include <span>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct SparseTensor {
  Output indices, values, shape;
};

// Entries in row-major order; repeated ones keep their order. Gradient: yes. Source: TensorFlow
// SparseReorder.
SparseTensor SparseReorder(const SparseTensor& x, OpOptions o = {},
                           Location where = Location::Current());
// The same entries seen with another shape, one of whose dimensions may be -1. Gradient: values
// pass. Source: TensorFlow SparseReshape.
SparseTensor SparseReshape(const SparseTensor& x, Output shape, OpOptions o = {},
                           Location where = Location::Current());
// Along dimension `axis`, from -rank. Gradient: none. Source: TensorFlow SparseConcat, SparseSplit
// (whose first parts are larger by one where the division leaves a rest).
SparseTensor SparseConcat(std::span<const SparseTensor> parts, int64_t axis, OpOptions o = {},
                          Location where = Location::Current());
std::vector<SparseTensor> SparseSplit(Output axis, const SparseTensor& x, int64_t num_split,
                                      OpOptions o = {}, Location where = Location::Current());
// The entries within `size` from `start` on, both `[rank]`. Gradient: yes. Source: TensorFlow
// SparseSlice.
SparseTensor SparseSlice(const SparseTensor& x, Output start, Output size, OpOptions o = {},
                         Location where = Location::Current());
// The gradient of SparseSlice's values: `grad` at the entries that it took, else 0. Source:
// TensorFlow SparseSliceGrad.
Output SparseSliceGrad(Output grad, Output input_indices, Output input_start, Output output_indices,
                       OpOptions o = {}, Location where = Location::Current());

struct FilledRows {
  Output indices, values;
  Output empty_row_indicator;  // [rows], bool
  Output reverse_index_map;    // [n]: where each entry went
};
// An entry with `default_value` in column 0 of every row without one. Gradient: yes. Source:
// TensorFlow SparseFillEmptyRows.
FilledRows SparseFillEmptyRows(const SparseTensor& x, Output default_value, OpOptions o = {},
                               Location where = Location::Current());
struct FilledRowsGrad {
  Output values, default_value;
};
FilledRowsGrad SparseFillEmptyRowsGrad(Output reverse_index_map, Output grad, OpOptions o = {},
                                       Location where = Location::Current());

}  // namespace headrace
