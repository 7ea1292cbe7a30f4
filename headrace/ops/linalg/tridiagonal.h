// Matrices with three diagonals.
//
//   Output x = TridiagonalSolve(diagonals, rhs);     // diagonals [..., 3, m]: above, main, below
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct TridiagonalSolveOptions {
  bool partial_pivoting = true;  // false: faster, for matrices that need no exchange of rows
  std::string name;
};
// Rows of `diagonals` are the diagonals above, on and below the main one; the last element of the
// first and the first element of the last row are not looked at. Shapes: `[..., 3, m], [..., m, k]
// -> [..., m, k]`. DTypes: float32, float64, complex64, complex128. Errors (step): InvalidArgument
// "The matrix is not invertible.". Gradient: another such system, differentiable again (of complex
// numbers TensorFlow's, which leaves out the conjugate). Source: TensorFlow TridiagonalSolve.
Output TridiagonalSolve(Output diagonals, Output rhs, TridiagonalSolveOptions o = {},
                        Location where = Location::Current());

// The product with such a matrix, whose diagonals are `[..., 1, m]` each. Shapes: `[..., 1, m] x 3,
// [..., m, k] -> [..., m, k]`. DTypes, what is not looked at: as above. Gradient: differentiable
// again. Source: TensorFlow TridiagonalMatMul.
Output TridiagonalMatMul(Output superdiag, Output maindiag, Output subdiag, Output rhs,
                         OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
