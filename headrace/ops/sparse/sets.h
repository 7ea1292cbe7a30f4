// Sets: the last dimension of a dense or sparse tensor is a set of values, the ones before it say
// which. Repeated values count once. (tf.sets)
//
//   SparseTensor both = DenseToDenseSetOperation(a, b, SetOperation::kIntersection);
#pragma once

#include "headrace/ops/sparse/sparse_tensor.h"

namespace headrace {

enum class SetOperation { kAMinusB, kBMinusA, kIntersection, kUnion };

// How many distinct values each set has. Shapes: a sparse tensor `[..., n]` -> dense int32 `[...]`.
// DTypes of values: (u)int8, (u)int16, int32, int64, string. Errors: InvalidArgument for indices
// that are out of bounds, out of order or repeated, and ranks below 2. Gradient: none. Source:
// TensorFlow SetSize.
Output SetSize(const SparseTensor& x, OpOptions o = {}, Location where = Location::Current());

// Set by set, in ascending order. Shapes: `[..., n]`, `[..., m]`, equal but for the last dimension
// -> sparse `[..., size of the largest set]`. DTypes and errors: as SetSize, and "Mismatched shapes
// [3] vs [2]". Gradient: none. Source: TensorFlow DenseToDenseSetOperation,
// DenseToSparseSetOperation, SparseToSparseSetOperation.
SparseTensor DenseToDenseSetOperation(Output a, Output b, SetOperation operation, OpOptions o = {},
                                      Location where = Location::Current());
SparseTensor DenseToSparseSetOperation(Output a, const SparseTensor& b, SetOperation operation,
                                       OpOptions o = {}, Location where = Location::Current());
SparseTensor SparseToSparseSetOperation(const SparseTensor& a, const SparseTensor& b,
                                        SetOperation operation, OpOptions o = {},
                                        Location where = Location::Current());

}  // namespace headrace
