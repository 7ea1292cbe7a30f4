// Gradient functions of the reductions. Nodes are named and ordered as TensorFlow 1.15's gradient
// functions name and order theirs.
#pragma once

#include "headrace/graph/gradients.h"

namespace headrace {

Status SumGradient(GradContext& c);
Status MeanGradient(GradContext& c);
Status ProdGradient(GradContext& c);
Status ExtremeOverAxesGradient(GradContext& c);  // of Max and Min

}  // namespace headrace
