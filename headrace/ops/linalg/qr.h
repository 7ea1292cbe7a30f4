// QR decomposition.
//
//   auto [q, r] = Qr(a);     // a = q * r
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct QrOptions {
  bool full_matrices = false;  // q square; false: only its first min(m, n) columns
  std::string name;
};
struct QrOutputs {
  Output q;  // [..., m, min(m, n)], full: [..., m, m]; columns are orthonormal
  Output r;  // [..., min(m, n), n], full: [..., m, n]; upper triangular
};
// Shapes: a `[..., m, n]`. DTypes: float32, float64, complex64, complex128. Gradient: real, known
// shapes, square r only (else Unimplemented); differentiable again. Source: TensorFlow Qr;
// Householder reflections, so the diagonal of r may be negative.
QrOutputs Qr(Output a, QrOptions o = {}, Location where = Location::Current());

}  // namespace headrace
