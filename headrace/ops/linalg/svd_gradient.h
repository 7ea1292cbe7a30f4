#pragma once

#include "headrace/graph/gradients.h"

namespace headrace {

// Of Svd, for its definition.
Status SvdGradient(GradContext& c);

}  // namespace headrace
