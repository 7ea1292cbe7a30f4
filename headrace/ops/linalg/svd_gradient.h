#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

// Of Svd, for its definition.
Status SvdGradient(GradContext& c);

}  // namespace headrace
