#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

// For the definitions of the ops: of complex transforms of any rank, of real ones of rank 1 and 2.
Status FftGradient(GradContext& c);
Status RfftGradient(GradContext& c);
Status IrfftGradient(GradContext& c);

}  // namespace headrace
