// LU decomposition with row exchanges.
//
//   auto [lu, p] = Lu(a);     // L * U = a with its rows in the order p
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct LuOptions {
  DType output_idx_type = DType::kInt32;  // of p; or int64
  std::string name;
};
struct LuOutputs {
  Output lu;  // [..., m, m]: U with its diagonal, below it L without its diagonal of ones
  Output p;   // [..., m]
};
// Shapes: a `[..., m, m]`. DTypes: float32, float64, complex64, complex128. Errors (step):
// InvalidArgument "Input is not invertible.". Gradient: error, as in TensorFlow. Source: TensorFlow
// Lu.
LuOutputs Lu(Output a, LuOptions o = {}, Location where = Location::Current());

}  // namespace headrace
