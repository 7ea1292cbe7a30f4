// Inverses and systems of linear equations.
//
//   Output x = MatrixSolve(a, b);                       // a * x = b
//   Output y = MatrixTriangularSolve(l, b);             // l lower triangular
//   Output z = MatrixSolveLs(a, b, l2);                 // least squares
//
// All: Shapes `[..., m, m], [..., m, k] -> [..., m, k]`, batch dimensions equal. DTypes: float32,
// float64, complex64, complex128.
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct MatrixSolveOptions {
  bool adjoint = false;  // of adjoint(a) instead
  std::string name;
};
// Shapes: `[..., m, m] -> [..., m, m]`. Errors (step): InvalidArgument "Input is not invertible.".
// Gradient: two products, differentiable again. Source: TensorFlow MatrixInverse.
Output MatrixInverse(Output a, MatrixSolveOptions o = {}, Location where = Location::Current());

// Errors (step): InvalidArgument "Input matrix is not invertible." when a pivot is exactly zero.
// Gradient: a system and a product, differentiable again. Source: TensorFlow MatrixSolve.
Output MatrixSolve(Output a, Output rhs, MatrixSolveOptions o = {},
                   Location where = Location::Current());

struct MatrixTriangularSolveOptions {
  bool lower = true;     // which triangle of `a` is read
  bool adjoint = false;  // of adjoint(a) instead
  std::string name;
};
// Errors, gradient: as MatrixSolve. Source: TensorFlow MatrixTriangularSolve.
Output MatrixTriangularSolve(Output a, Output rhs, MatrixTriangularSolveOptions o = {},
                             Location where = Location::Current());

struct MatrixSolveLsOptions {
  bool fast = true;  // by Cholesky of a * a; false: by an orthogonal decomposition, for any rank
  std::string name;
};
// The x that makes |a * x - rhs|^2 + l2_regularizer * |x|^2 least (of several the smallest).
// `l2_regularizer` is a float64 scalar >= 0, which `fast = false` does not look at. Shapes: `[...,
// m, n], [..., m, k], [] -> [..., n, k]`. Errors (step): InvalidArgument "Input matrix was rank
// deficient or ill-conditioned. Try setting fast=False or provide a larger l2_regularizer > 0.".
// Gradient: of `fast` only, with known m and n; differentiable again. Source: TensorFlow
// MatrixSolveLs.
Output MatrixSolveLs(Output a, Output rhs, Output l2_regularizer, MatrixSolveLsOptions o = {},
                     Location where = Location::Current());

}  // namespace headrace
