// Dimensions in another order.
//
//   Output y = Transpose(x, {0, 2, 1});     // [b, m, n] -> [b, n, m]
//   Output z = Transpose(x);                // all dimensions reversed
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct TransposeOptions {
  bool conjugate = false;  // ConjugateTranspose: of complex numbers also the conjugate
  std::string name;
};
// Dimension i of the result is dimension perm[i]. DTypes: every one. Errors: InvalidArgument "1 is
// missing from {0,0}." when perm is no permutation. Gradient: transposed back. Source: TensorFlow
// Transpose, ConjugateTranspose.
Output Transpose(Output x, IntArg perm, TransposeOptions o = {},
                 Location where = Location::Current());
Output Transpose(Output x, TransposeOptions o = {}, Location where = Location::Current());

// y[x[i]] = i. Shapes: `[n] -> [n]`. DTypes: int32, int64. Errors: InvalidArgument when x is no
// permutation of 0..n-1. Gradient: none. Source: TensorFlow InvertPermutation.
Output InvertPermutation(Output x, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
