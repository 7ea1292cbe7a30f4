// Gradient functions of inverses and systems of equations, for their definitions.
#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

Status MatrixInverseGradient(GradContext& c);
Status MatrixSolveGradient(GradContext& c);
Status MatrixTriangularSolveGradient(GradContext& c);
Status MatrixSolveLsGradient(GradContext& c);

}  // namespace headrace
