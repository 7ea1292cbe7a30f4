#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

// For the definitions of the ops.
Status TridiagonalSolveGradient(GradContext& c);
Status TridiagonalMatMulGradient(GradContext& c);

}  // namespace headrace
