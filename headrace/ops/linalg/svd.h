// Singular value decomposition.
//
//   auto [s, u, v] = Svd(a);     // a = u * diag(s) * adjoint(v)
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct SvdOptions {
  bool compute_uv = true;      // false: u and v are empty vectors
  bool full_matrices = false;  // u and v square; false: only the first min(m, n) columns
  std::string name;
};
struct SvdOutputs {
  Output s;  // [..., min(m, n)], largest first
  Output u;  // [..., m, min(m, n)], full: [..., m, m]
  Output v;  // [..., n, min(m, n)], full: [..., n, n]
};
// Shapes: a `[..., m, n]`. DTypes: float32, float64, complex64, complex128. Matrices with values
// that are not finite give NaN. Signs of vectors are TensorFlow's, but of some complex64 matrices,
// where a newer Eigen turns them. Gradient: with compute_uv only real, known m and n; of full
// matrices only where they differ by at most 1 (else Unimplemented); differentiable again. Source:
// TensorFlow Svd; gradient: Giles, Collected Matrix Derivative Results; Townsend, Differentiating
// the SVD.
SvdOutputs Svd(Output a, SvdOptions o = {}, Location where = Location::Current());

}  // namespace headrace
