// Products of matrices.
//
//   Output y = MatMul(x, w) + b;
//   Output gram = MatMul(x, x, {.transpose_a = true});
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct MatMulOptions {
  bool transpose_a = false;
  bool transpose_b = false;
  std::string name;
};
// Shapes: `[m, k], [k, n] -> [m, n]`. DTypes: bfloat16, float16, float32, float64, int32, int64,
// complex64, complex128. Errors: InvalidArgument "Matrix size-incompatible: In[0]: [2,3], In[1]:
// [4,5]". Gradient: two products, differentiable again. Source: TensorFlow MatMul.
Output MatMul(Output a, Output b, MatMulOptions o = {}, Location where = Location::Current());

struct BatchMatMulOptions {
  bool adj_x = false;  // transposed, and conjugate where complex
  bool adj_y = false;
  std::string name;
};
// A product for each matrix of a batch. Shapes: `[..., m, k], [..., k, n] -> [..., m, n]`, batch
// dimensions equal (V2: they broadcast). DTypes: as MatMul, without bfloat16. Source: TensorFlow
// BatchMatMul, BatchMatMulV2.
Output BatchMatMul(Output x, Output y, BatchMatMulOptions o = {},
                   Location where = Location::Current());
Output BatchMatMulV2(Output x, Output y, BatchMatMulOptions o = {},
                     Location where = Location::Current());

}  // namespace headrace
