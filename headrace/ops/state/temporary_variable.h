// Variables that live within a step.
//
//   Output sum = TemporaryVariable(g, {2, 3}, DType::kFloat32, {.var_name = "sum"});
//   sum = AssignAdd(Assign(sum, a), b);
//   Output y = DestroyTemporaryVariable(sum, "sum");      // the value; the variable is gone
#pragma once

#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct TemporaryVariableOptions {
  std::string var_name;  // "" = the node's name
  std::string name;
};
// The ref of a variable of zeros (TensorFlow's holds no defined value), each time the node runs a
// new one. `shape` must be fully known. DTypes: every plain one, string. Gradient: error. Source:
// TensorFlow TemporaryVariable.
Output TemporaryVariable(Graph& g, PartialShape shape, DType dtype, TemporaryVariableOptions o = {},
                         Location where = Location::Current());

// Its last value, after which nobody may use it: what writes to it must come before, through the
// ref or control dependencies. Errors: InvalidArgument for a variable of another name. Gradient:
// error. Source: TensorFlow DestroyTemporaryVariable.
Output DestroyTemporaryVariable(Output ref, std::string var_name, OpOptions o = {},
                                Location where = Location::Current());

}  // namespace headrace
