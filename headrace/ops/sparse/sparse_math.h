// Arithmetic with sparse tensors.
//
//   Output y = SparseTensorDenseMatMul(x, weights);         // x [m, k] sparse
//   Output totals = SparseReduceSum(x, Const(g, {1}));      // [m], dense
//
// Indices are in row-major order. Errors: InvalidArgument for parts that do not fit together, and
// indices outside the shape.
#pragma once

#include "headrace/ops/sparse/sparse_tensor.h"

namespace headrace {

// a + b, without sums of two entries whose magnitude is below `threshold` (a scalar of a's real
// dtype). Shapes: equal. DTypes: float32, float64, int8 to int64, complex. Gradient: yes. Source:
// TensorFlow SparseAdd.
SparseTensor SparseAdd(const SparseTensor& a, const SparseTensor& b, Output threshold,
                       OpOptions o = {}, Location where = Location::Current());
struct SparseAddGrads {
  Output a, b;
};
SparseAddGrads SparseAddGrad(Output grad, Output a_indices, Output b_indices, Output sum_indices,
                             OpOptions o = {}, Location where = Location::Current());
// A dense sum; repeated entries all count. Shapes: equal. DTypes: numbers. Gradient: yes. Source:
// TensorFlow SparseTensorDenseAdd.
Output SparseTensorDenseAdd(const SparseTensor& a, Output b, OpOptions o = {},
                            Location where = Location::Current());
// The larger or smaller of two tensors of one shape, where either has an entry (the other counts as
// 0). DTypes: real numbers. Gradient: none. Source: TensorFlow SparseSparseMaximum,
// SparseSparseMinimum.
SparseTensor SparseSparseMaximum(const SparseTensor& a, const SparseTensor& b, OpOptions o = {},
                                 Location where = Location::Current());
SparseTensor SparseSparseMinimum(const SparseTensor& a, const SparseTensor& b, OpOptions o = {},
                                 Location where = Location::Current());

// Values of x with the dense tensor's at these places (which broadcasts to x's shape) added,
// multiplied, or dividing. Shapes: `-> [n]`. DTypes: real numbers. Gradient: of Mul and Div.
// Source: TensorFlow SparseDenseCwiseAdd, SparseDenseCwiseMul, SparseDenseCwiseDiv.
Output SparseDenseCwiseAdd(const SparseTensor& x, Output dense, OpOptions o = {},
                           Location where = Location::Current());
Output SparseDenseCwiseMul(const SparseTensor& x, Output dense, OpOptions o = {},
                           Location where = Location::Current());
Output SparseDenseCwiseDiv(const SparseTensor& x, Output dense, OpOptions o = {},
                           Location where = Location::Current());

struct SparseTensorDenseMatMulOptions {
  bool adjoint_a = false;  // the transpose of a (not conjugated, as in TensorFlow 1.15)
  bool adjoint_b = false;  // the conjugate transpose of b
  std::string name;
};
// Shapes: `[m, k] sparse, [k, n] -> [m, n]`. DTypes: float32, float64, bfloat16, int32, complex.
// Errors: "Cannot multiply A and B because inner dimension does not match: 2 vs. 1. ..." Gradient:
// yes, of real numbers. Source: TensorFlow SparseTensorDenseMatMul.
Output SparseTensorDenseMatMul(const SparseTensor& a, Output b,
                               SparseTensorDenseMatMulOptions o = {},
                               Location where = Location::Current());

// Softmax over the entries of each row (last dimension). Shapes: `-> [n]`, rank at least 2. DTypes:
// float32, float64. Gradient: yes. Source: TensorFlow SparseSoftmax.
Output SparseSoftmax(const SparseTensor& x, OpOptions o = {}, Location where = Location::Current());

struct SparseReduceOptions {
  bool keep_dims = false;
  std::string name;
};
// Over the entries along `axes` (int32; none: nothing is reduced); 0 where there are none. Dense,
// or sparse with an entry where the sum has terms. DTypes: numbers, of Max real ones. Gradient: of
// SparseReduceSum. Source: TensorFlow SparseReduceSum, SparseReduceMax, SparseReduceSumSparse,
// SparseReduceMaxSparse.
Output SparseReduceSum(const SparseTensor& x, Output axes, SparseReduceOptions o = {},
                       Location where = Location::Current());
Output SparseReduceMax(const SparseTensor& x, Output axes, SparseReduceOptions o = {},
                       Location where = Location::Current());
SparseTensor SparseReduceSumSparse(const SparseTensor& x, Output axes, SparseReduceOptions o = {},
                                   Location where = Location::Current());
SparseTensor SparseReduceMaxSparse(const SparseTensor& x, Output axes, SparseReduceOptions o = {},
                                   Location where = Location::Current());

}  // namespace headrace
