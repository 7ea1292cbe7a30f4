// Sparse tensors as strings, so that queues and batches can hold them.
//
//   Output row = SerializeSparse(x);                                     // [3]
//   SparseTensor batch = DeserializeSparse(rows, DType::kFloat32);       // rows [n, 3]
//
// Each is three TensorProto messages: indices, values, shape. DTypes of values: all but variant.
// Gradient: none.
#pragma once

#include "headrace/ops/sparse/sparse_tensor.h"

namespace headrace {

// Shapes: `-> [3]`, string. Source: TensorFlow SerializeSparse.
Output SerializeSparse(const SparseTensor& x, OpOptions o = {},
                       Location where = Location::Current());
// Each row (first dimension) by itself. Shapes: `-> [rows, 3]`. Errors: InvalidArgument "Rank of
// input SparseTensor should be > 1, but saw rank: 1". Source: TensorFlow SerializeManySparse.
Output SerializeManySparse(const SparseTensor& x, OpOptions o = {},
                           Location where = Location::Current());
// Stacks them along new first dimensions; the others are as large as the largest. Shapes: `[b...,
// 3]
// -> [b..., rest...]` sparse. Errors: InvalidArgument "Could not parse serialized proto",
// "Requested SparseTensor of type int32 but SparseTensor[0].values.dtype() == float". Source:
// TensorFlow DeserializeSparse, DeserializeManySparse (which takes [n, 3] only).
SparseTensor DeserializeSparse(Output serialized, DType dtype, OpOptions o = {},
                               Location where = Location::Current());
SparseTensor DeserializeManySparse(Output serialized, DType dtype, OpOptions o = {},
                                   Location where = Location::Current());

}  // namespace headrace
