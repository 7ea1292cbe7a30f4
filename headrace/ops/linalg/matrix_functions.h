// Functions of whole matrices (not of their elements).
//
// All: Shapes `[..., m, m] -> [..., m, m]`.
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// DTypes: float32, float64, complex64, complex128. Gradient: error, as in TensorFlow. Source:
// TensorFlow MatrixExponential; scaling and squaring with Pade approximants.
Output MatrixExponential(Output a, OpOptions o = {}, Location where = Location::Current());
// The principal logarithm. DTypes: complex64, complex128. Gradient: error, as in TensorFlow.
// Source: TensorFlow MatrixLogarithm.
Output MatrixLogarithm(Output a, OpOptions o = {}, Location where = Location::Current());
// The principal square root; NaN where a real matrix has no real one. DTypes: float32, float64,
// complex64, complex128. Gradient: by a Sylvester equation, differentiable again. Source:
// TensorFlow MatrixSquareRoot.
Output MatrixSquareRoot(Output a, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
