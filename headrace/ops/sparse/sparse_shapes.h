// For shape functions of ops that take sparse tensors: indices, values and shape at inputs `first`,
// `first` + 1, `first` + 2.
#pragma once

#include "headrace/graph/shape_context.h"

namespace headrace {

// Ranks 2, 1, 1 and sizes that fit together.
Status CheckSparseShapes(const ShapeContext& c, int first);
// Dimensions of the tensor, and how many entries it has; -1 if that is not known.
int64_t SparseRank(const ShapeContext& c, int first);
int64_t SparseCount(const ShapeContext& c, int first);

}  // namespace headrace
