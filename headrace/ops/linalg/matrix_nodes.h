// What gradients of matrix ops are made of, with TensorFlow's names of its Python operators. All at
// the location of the op that is differentiated.
#pragma once

#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/array/math_nodes.h"
#include "headrace/ops/linalg/diag.h"
#include "headrace/ops/linalg/matrix.h"
#include "headrace/ops/math/unary.h"

namespace headrace::matrix_grad {

// A shape vector of parts: vectors, or scalars and numbers (IntArg::Packed). "concat".
Output JoinShape(Graph& g, std::vector<IntArg> parts, Location where);

inline Output Product(Output a, Output b, Location where) {
  return MatrixProduct(a, b, {}, where);
}
inline Output ProductOfAdjoint(Output a, Output b, Location where) {
  return MatrixProduct(a, b, {.adjoint_a = true}, where);
}
inline Output ProductWithAdjoint(Output a, Output b, Location where) {
  return MatrixProduct(a, b, {.adjoint_b = true}, where);
}
inline Output Neg(Output x, Location where) {
  return headrace::Neg(x, {}, where);
}
inline Output DiagOf(Output diagonal, Location where) {
  return MatrixDiag(diagonal, {.name = "diag"}, where);
}
inline Output SetDiag(Output x, Output diagonal, Location where) {
  return MatrixSetDiag(x, diagonal, {.name = "set_diag"}, where);
}
// x with half its diagonal.
inline Output HalveDiagonal(Output x, Location where) {
  const Output diagonal = MatrixDiagPart(x, {.name = "diag_part"}, where);
  return SetDiag(x, array_grad::Mul(0.5, diagonal, where), where);
}
inline Output LowerTriangle(Output x, Location where) {
  return MatrixBandPart(x, -1, 0, {}, where);
}

}  // namespace headrace::matrix_grad
