// Matrices from other ops: what TensorFlow's Python functions of these names build, node by node.
//
//   Output gram = MatrixProduct(x, x, {.adjoint_a = true});   // a matrix each for a batch
//   Output e = Eye(g, 3);                                     // [3, 3]
//   Output n = Norm(x, {.axis = {-1}});                       // length of each row
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct MatrixProductOptions {
  bool adjoint_a = false;  // transposed, and conjugate where complex
  bool adjoint_b = false;
  std::string name;  // "" = "MatMul"
};
// MatMul of matrices, BatchMatMulV2 of batches (or where the ranks are not known). Shapes: `[...,
// m, k], [..., k, n] -> [..., m, n]`, batch dimensions broadcast. Errors and gradient: as those
// ops. Source: tf.matmul.
Output MatrixProduct(Output a, Output b, MatrixProductOptions o = {},
                     Location where = Location::Current());

struct MatrixTransposeOptions {
  bool conjugate = false;
  std::string name;  // "" = "matrix_transpose"
};
// Shapes: `[..., m, n] -> [..., n, m]`. DTypes: every one. Errors: InvalidArgument for rank < 2.
// Source: tf.linalg.matrix_transpose.
Output MatrixTranspose(Output x, MatrixTransposeOptions o = {},
                       Location where = Location::Current());
// The conjugate transpose. Source: tf.linalg.adjoint.
Output Adjoint(Output x, OpOptions o = {}, Location where = Location::Current());

struct EyeOptions {
  std::optional<IntArg> num_columns;                    // else as many as rows
  IntArg batch_shape = IntArg(std::vector<int64_t>());  // dimensions before the matrices
  DType dtype = DType::kFloat32;
  std::string name;  // "" = "eye"
};
// Identity matrices. Shapes: `-> batch_shape + [num_rows, num_columns]`. DTypes: those of
// MatrixDiag. Source: tf.eye.
Output Eye(Graph& g, IntArg num_rows, EyeOptions o = {}, Location where = Location::Current());

// The sum of the main diagonal. Shapes: `[..., m, n] -> [...]`. DTypes: numbers. Source:
// tf.linalg.trace.
Output Trace(Output x, OpOptions o = {}, Location where = Location::Current());

struct NormOptions {
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // The p of a p-norm, kInfinity for the largest value; nothing: the Euclidean norm, of matrices
  // the Frobenius norm.
  std::optional<double> order;
  // Nothing: of all elements; one: of vectors along it; two: of matrices (order 1, 2 or kInfinity).
  std::vector<int64_t> axis;
  bool keep_dims = false;
  std::string name;  // "" = "norm"
};
// Shapes: the axes are dropped (or 1). DTypes: float32, float64 (float16 but for order 2 of
// matrices), complex. Errors: InvalidArgument for an order that is not positive, other orders of
// matrices, more than two axes or one axis twice. Gradient: by the ops it is made of. Source:
// tf.norm; order 2 of matrices (the largest singular value) needs a known rank here, and no loops.
Output Norm(Output x, NormOptions o = {}, Location where = Location::Current());

}  // namespace headrace
