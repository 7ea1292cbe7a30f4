// The count of updates so far: an int64 variable that optimizers increment and schedules read.
//
//   Variable step = GetOrCreateGlobalStep(g);
//   Node* train = optimizer.Minimize(loss, {.global_step = step});
#pragma once

#include "headrace/ops/state/variable.h"

namespace headrace {

// The graph's global step; invalid if it has none. Errors (to the graph): InvalidArgument for one
// that is no integer scalar.
Variable GetGlobalStep(Graph& g);
// Variable "global_step", at the top of the name scopes, not trainable. Errors: AlreadyExists.
Variable CreateGlobalStep(Graph& g, Location where = Location::Current());
Variable GetOrCreateGlobalStep(Graph& g, Location where = Location::Current());

}  // namespace headrace
