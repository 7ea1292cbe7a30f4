// The gradients of Gather and GatherV2.
#pragma once

#include "headrace/graph/gradients.h"

namespace headrace {

Status GatherGradient(GradContext& c);
Status GatherV2Gradient(GradContext& c);

}  // namespace headrace
