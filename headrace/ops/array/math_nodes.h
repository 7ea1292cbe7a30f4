// Arithmetic in gradients of array ops, named as TensorFlow names its Python operators ("add" is
// AddV2, "mod" is FloorMod), at the location of the op that is differentiated.
#pragma once

#include "headrace/ops/math/binary.h"

namespace headrace::array_grad {

inline Output Add(Operand a, Operand b, Location where) {
  return AddV2(a, b, {.name = "add"}, where);
}
inline Output Sub(Operand a, Operand b, Location where) {
  return headrace::Sub(a, b, {.name = "sub"}, where);
}
inline Output Mul(Operand a, Operand b, Location where) {
  return headrace::Mul(a, b, {.name = "mul"}, where);
}
inline Output Mod(Operand a, Operand b, Location where) {
  return FloorMod(a, b, {.name = "mod"}, where);
}
inline Output Div(Operand a, Operand b, Location where) {
  return RealDiv(a, b, {.name = "truediv"}, where);
}

}  // namespace headrace::array_grad
