// Elements along a new first dimension.
#pragma once

#include "headrace/ops/dataset/dataset.h"

namespace headrace {

// Component `c` of all rows, which have the dtype of `rows[0][c]`. Errors: InvalidArgument "Cannot batch tensors with
// different shapes in component 0. First element had shape [3] and element 1 had shape [4]."; ResourceExhausted.
StatusOr<Tensor> BatchRows(const std::vector<Element>& rows, size_t c);

// The same with each row in the corner of a block of shape `row_shape`, the rest filled with the scalar `padding`.
// REQUIRES: no row is larger in any dimension.
StatusOr<Tensor> PaddedRows(const std::vector<Element>& rows, size_t c, const Shape& row_shape,
                            const Tensor& padding);

// A number of elements `count` of that shape together.
PartialShape BatchedShape(const PartialShape& element, int64_t count);

}  // namespace headrace
