// Gradient functions of special.cpp. Nodes are named and ordered as TensorFlow 1.15's gradient
// functions name and order theirs.
#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

Status IgammaGradient(GradContext& c);
Status IgammacGradient(GradContext& c);
Status BetaincGradient(GradContext& c);  // to x alone
Status BesselI0eGradient(GradContext& c);
Status BesselI1eGradient(GradContext& c);
Status NextAfterGradient(GradContext& c);

}  // namespace headrace
