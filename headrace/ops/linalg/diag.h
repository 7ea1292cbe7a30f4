// Diagonals of matrices: made into matrices, taken out, put in.
//
//   Output m = MatrixDiag(d);                 // [..., n] -> [..., n, n], zero but for the diagonal
//   Output d = MatrixDiagPart(m);             // [..., m, n] -> [..., min(m, n)]
//   Output b = MatrixDiagPartV2(m, {-1, 1}, zero);  // three diagonals, as rows
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// A tensor of twice the rank with `x` on its diagonal, zero elsewhere. Shapes: `[a, b] -> [a, b, a,
// b]`. DTypes: float32, float64, int32, int64, complex64, complex128. Gradient: DiagPart. Source:
// TensorFlow Diag, DiagPart.
Output Diag(Output x, OpOptions o = {}, Location where = Location::Current());
// The diagonal of such a tensor. Errors: InvalidArgument for an odd rank, or halves of the shape
// that differ. Gradient: Diag.
Output DiagPart(Output x, OpOptions o = {}, Location where = Location::Current());

// Shapes: `[..., n] -> [..., n, n]`. DTypes: numbers of CPU kernels, bool (as all below). Gradient:
// MatrixDiagPart. Source: TensorFlow MatrixDiag, MatrixDiagPart, MatrixSetDiag.
Output MatrixDiag(Output diagonal, OpOptions o = {}, Location where = Location::Current());
// Shapes: `[..., m, n] -> [..., min(m, n)]`. Gradient: MatrixDiag, or MatrixSetDiag of zeros where
// the matrices are not known to be square.
Output MatrixDiagPart(Output x, OpOptions o = {}, Location where = Location::Current());
// `x` with another diagonal. Shapes: `[..., m, n], [..., min(m, n)] -> [..., m, n]`. Gradient: the
// incoming one without its diagonal, and its diagonal.
Output MatrixSetDiag(Output x, Output diagonal, OpOptions o = {},
                     Location where = Location::Current());

// The same for any band of diagonals: `k` is one number, or the lowest and the highest of the band
// (0: the main diagonal; 1: the one above it). Several diagonals are rows of a matrix, the highest
// first, each beginning at the left; what is beyond a shorter one is padding. Errors:
// InvalidArgument for a band that the matrices do not have, or does not go with the number of rows
// and columns. Gradient: by the op of the opposite direction with the same band. Source: TensorFlow
// MatrixDiagV2, MatrixDiagPartV2, MatrixSetDiagV2.
struct MatrixDiagOptions {
  IntArg k = 0;
  IntArg num_rows = -1;  // -1: as few as the diagonals need, or as many as there are columns
  IntArg num_cols = -1;
  std::string name;
};
// `padding_value` is a scalar of the diagonal's dtype. Shapes: `[..., n] -> [..., r, c]` for one
// diagonal, `[..., d, n] -> [..., r, c]` for d of them.
Output MatrixDiagV2(Output diagonal, Output padding_value, MatrixDiagOptions o = {},
                    Location where = Location::Current());
Output MatrixDiagPartV2(Output x, IntArg k, Output padding_value, OpOptions o = {},
                        Location where = Location::Current());
Output MatrixSetDiagV2(Output x, Output diagonal, IntArg k, OpOptions o = {},
                       Location where = Location::Current());

// `x` with zeros outside a band: at most `num_lower` diagonals below the main one and `num_upper`
// above; negative numbers mean all. Shapes: `[..., m, n] -> [..., m, n]`. Errors: InvalidArgument
// "num_lower must be negative or less or equal to number of rows (2) got: 3". Gradient: the same
// band of the incoming one. Source: TensorFlow MatrixBandPart.
Output MatrixBandPart(Output x, IntArg num_lower, IntArg num_upper, OpOptions o = {},
                      Location where = Location::Current());

}  // namespace headrace
