// Determinants.
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// Shapes: `[..., m, m] -> [...]`; 1 of empty matrices, 0 where something is not finite. DTypes:
// float32, float64, complex64, complex128. Gradient: by the inverse, differentiable again (of complex
// numbers TensorFlow's, which leaves out a conjugate). Source: TensorFlow MatrixDeterminant.
Output MatrixDeterminant(Output a, OpOptions o = {}, Location where = Location::Current());

struct LogMatrixDeterminantOutputs {
  Output sign;  // of absolute value 1, or 0
  Output log_abs_determinant;
};
// determinant = sign * exp(log_abs_determinant). Singular: 0 and -infinity. Shapes, DTypes: as
// above. Gradient: of the second output only. Source: TensorFlow LogMatrixDeterminant.
LogMatrixDeterminantOutputs LogMatrixDeterminant(Output a, OpOptions o = {},
                                                 Location where = Location::Current());

}  // namespace headrace
