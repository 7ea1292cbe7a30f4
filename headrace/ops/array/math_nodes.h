// The few arithmetic nodes that gradients of array ops are made of, named as TensorFlow's operators name them
// ("add" is AddV2, "mod" is FloorMod), at the location of the op that is differentiated.
#pragma once

#include "headrace/ops/array/constant.h"

namespace headrace {
namespace array_grad {

inline Output Binary(std::string_view op, std::string_view name, Output a, Output b, Location where) {
  return NodeBuilder(op, name, where).Input(a).Input(b).Build();
}
inline Output Add(Output a, Output b, Location where) { return Binary("AddV2", "add", a, b, where); }
inline Output Sub(Output a, Output b, Location where) { return Binary("Sub", "sub", a, b, where); }
inline Output Mul(Output a, Output b, Location where) { return Binary("Mul", "mul", a, b, where); }
inline Output Mod(Output a, Output b, Location where) { return Binary("FloorMod", "mod", a, b, where); }

// The operators with a number, which becomes the constant "<op>/y".
Output Add(Output a, double b, Location where);
Output Sub(Output a, double b, Location where);

}  // namespace array_grad
}  // namespace headrace
