// Products of matrices one of which is mostly zeros, and of bfloat16 with float32.
//
//   Output y = SparseMatMul(one_hot, w, {.a_is_sparse = true});
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct SparseMatMulOptions {
  bool transpose_a = false, transpose_b = false;
  bool a_is_sparse = false, b_is_sparse = false;  // what the program knows of them
  std::string name;
};
// Shapes: `[m, k], [k, n] -> [m, n]`. DTypes: float32, bfloat16, one of each too; the result is
// float32. Errors: InvalidArgument for sizes that do not fit. Gradient: two products. Source:
// TensorFlow SparseMatMul.
Output SparseMatMul(Output a, Output b, SparseMatMulOptions o = {},
                    Location where = Location::Current());

}  // namespace headrace
