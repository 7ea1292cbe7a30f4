// Eigenvalues and eigenvectors of matrices that are their own adjoint.
//
//   auto [e, v] = SelfAdjointEig(a);     // a * v[:, i] = e[i] * v[:, i]
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct SelfAdjointEigOptions {
  bool compute_v = true;  // false: v is an empty vector
  std::string name;
};
struct SelfAdjointEigOutputs {
  Output e;  // [..., m], smallest first
  Output v;  // [..., m, m], eigenvectors in columns
};
// Only the lower triangle of `a` is read. Shapes: a `[..., m, m]`. DTypes: float32, float64,
// complex64, complex128. Errors (step): InvalidArgument "Self-adjoint eigen decomposition was not
// successful. The input might not be valid." for NaN. Gradient: of a lower triangle; infinite where
// eigenvalues are equal; as in TensorFlow, its own gradient is NaN. Source: TensorFlow SelfAdjointEigV2.
SelfAdjointEigOutputs SelfAdjointEig(Output a, SelfAdjointEigOptions o = {},
                                     Location where = Location::Current());

}  // namespace headrace
