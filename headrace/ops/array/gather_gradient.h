// The gradients of Gather, GatherV2 and ResourceGather.
#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

Status GatherGradient(GradContext& c);
Status GatherV2Gradient(GradContext& c);
Status ResourceGatherGradient(GradContext& c);

}  // namespace headrace
