// Changing some rows of a variable.
//
//   ScatterSub(table.ref(), ids, step);      // table[ids[i]] -= step[i], in the order of i
//   ScatterNdUpdate(w.ref(), indices, values);
#pragma once

#include "headrace/ops/options.h"
#include "headrace/ops/state/assign.h"

namespace headrace {

// Shapes: ref `[n, rest...]`, indices `[i...]`, updates `[i..., rest...]` or a scalar. Repeated
// indices count as often as they are there, in order. Result: the ref. DTypes: numbers (Update:
// every one; Min and Max: real ones); indices int32, int64. Errors: InvalidArgument "indices[0] = 5
// is not in [0, 4)", nothing is changed then; FailedPrecondition for a variable without value.
// Gradient: none. Source: the TensorFlow ops of these names.
Output ScatterAdd(Output ref, Output indices, Output updates, UpdateOptions o = {},
                  Location where = Location::Current());
Output ScatterSub(Output ref, Output indices, Output updates, UpdateOptions o = {},
                  Location where = Location::Current());
Output ScatterMul(Output ref, Output indices, Output updates, UpdateOptions o = {},
                  Location where = Location::Current());
Output ScatterDiv(Output ref, Output indices, Output updates, UpdateOptions o = {},
                  Location where = Location::Current());
Output ScatterMin(Output ref, Output indices, Output updates, UpdateOptions o = {},
                  Location where = Location::Current());
Output ScatterMax(Output ref, Output indices, Output updates, UpdateOptions o = {},
                  Location where = Location::Current());
Output ScatterUpdate(Output ref, Output indices, Output updates,
                     UpdateOptions o = {.use_locking = true}, Location where = Location::Current());

// The same by index vectors: indices `[i..., k]` name slices of the first k dimensions, updates
// `[i..., rest of ref from k on]`.
Output ScatterNdAdd(Output ref, Output indices, Output updates, UpdateOptions o = {},
                    Location where = Location::Current());
Output ScatterNdSub(Output ref, Output indices, Output updates, UpdateOptions o = {},
                    Location where = Location::Current());
Output ScatterNdUpdate(Output ref, Output indices, Output updates,
                       UpdateOptions o = {.use_locking = true},
                       Location where = Location::Current());

// The value before; then one more. Errors: OutOfRange "Reached limit of 5" at the limit. DTypes:
// int32, int64. Source: TensorFlow CountUpTo.
Output CountUpTo(Output ref, int64_t limit, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
