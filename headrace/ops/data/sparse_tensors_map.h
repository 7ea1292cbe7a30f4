// Sparse tensors that wait for a later step under a number, so that queues can hold and batch them.
//
//   Output handle = AddSparseToTensorsMap(x, {.shared_name = "rows"});                        // []
//   int64 SparseTensor batch = TakeManySparseFromTensorsMap(handles, DType::kFloat32, {.shared_name
//   = "rows"});
//
// The nodes of one map share container and shared_name. DTypes of values: any. Gradients: none.
#pragma once

#include "headrace/ops/sparse/sparse_tensor.h"

namespace headrace {

struct TensorsMapOptions {
  std::string container;
  std::string shared_name;  // without one: the node's own map
  std::string name;
};

// Shapes: `-> []`, int64. Source: TensorFlow AddSparseToTensorsMap.
Output AddSparseToTensorsMap(const SparseTensor& x, TensorsMapOptions o = {},
                             Location where = Location::Current());
// Each row (first dimension) by itself. Shapes: `-> [rows]`, int64. Errors: InvalidArgument "Rank
// of input SparseTensor should be > 1, but saw rank: 1". Source: TensorFlow
// AddManySparseToTensorsMap.
Output AddManySparseToTensorsMap(const SparseTensor& x, TensorsMapOptions o = {},
                                 Location where = Location::Current());
// Takes them out of the map and stacks them along a new first dimension; the others are as large as
// the largest. Shapes: `handles [b] -> [b, rest...]` sparse. Errors: InvalidArgument "Unable to
// find SparseTensor: 5 in map: rows". Source: TensorFlow TakeManySparseFromTensorsMap.
SparseTensor TakeManySparseFromTensorsMap(Output handles, DType dtype, TensorsMapOptions o,
                                          Location where = Location::Current());

}  // namespace headrace
