// Gradient functions of the reductions. Nodes are named and ordered as TensorFlow 1.15's gradient
// functions name and order theirs.
#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

Status SumGradient(GradContext& c);
Status MeanGradient(GradContext& c);
Status ProdGradient(GradContext& c);
Status ExtremeOverAxesGradient(GradContext& c);  // of Max and Min

// The shape of x (int32) with 1 for each reduced axis, from tensors.
Output ReducedShape(Output shape, Output axes, Location where);

}  // namespace headrace
