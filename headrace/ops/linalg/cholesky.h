// Cholesky decomposition.
//
//   Output l = Cholesky(a);                 // a = l * adjoint(l)
//   Output x = CholeskySolve(l, b);         // a * x = b
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// The lower triangle l of a positive definite matrix, whose own lower triangle alone is read.
// Shapes: `[..., m, m] -> [..., m, m]`. DTypes: float32, float64, complex64, complex128. Errors
// (step): InvalidArgument "Cholesky decomposition was not successful. The input might not be
// valid.". Gradient: symmetric, differentiable again. Source: TensorFlow Cholesky.
Output Cholesky(Output a, OpOptions o = {}, Location where = Location::Current());

// The gradient of Cholesky by itself: from l and the gradient of l (lower triangles) that of a,
// symmetric. DTypes: float32, float64. Gradient: error, as in TensorFlow (Cholesky does not use
// it). Source: TensorFlow CholeskyGrad; Murray, Differentiation of the Cholesky decomposition,
// 2016.
Output CholeskyGrad(Output l, Output grad, OpOptions o = {}, Location where = Location::Current());

// x of a * x = rhs, with l = Cholesky(a): two triangular systems. Shapes: `[..., m, m], [..., m, k]
// -> [..., m, k]`. Source: tf.linalg.cholesky_solve.
Output CholeskySolve(Output l, Output rhs, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
