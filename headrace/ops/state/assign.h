// Writing to a variable.
//
//   Output w = Assign(variable.ref(), value);      // gives the variable itself, after the write
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct AssignOptions {
  bool validate_shape = true;  // false: the variable takes the value's shape
  bool use_locking = true;     // writes are exclusive in any case; kept for graph files
  std::string name;
};
// Replaces the value. DTypes: every one, equal to the variable's. Errors: InvalidArgument "Assign
// requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3]". Gradient: none. Source:
// TensorFlow Assign.
Output Assign(Output ref, Output value, AssignOptions o = {}, Location where = Location::Current());

struct UpdateOptions {
  bool use_locking = false;
  std::string name;
};
// Adds to, or subtracts from, the value. Shapes: equal. DTypes: numbers. Errors: FailedPrecondition
// for a variable without value; InvalidArgument for another shape. Gradient: none. Source:
// TensorFlow AssignAdd, AssignSub.
Output AssignAdd(Output ref, Output value, UpdateOptions o = {},
                 Location where = Location::Current());
Output AssignSub(Output ref, Output value, UpdateOptions o = {},
                 Location where = Location::Current());

}  // namespace headrace
