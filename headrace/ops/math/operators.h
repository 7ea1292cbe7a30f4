// C++ operators on tensors and numbers. Element-wise, with broadcasting.
//
//   Output loss = (y - target) * (y - target) * 0.5f;
//   Output mask = LogicalAnd(Greater(x, 0.0f), ~padding);
//
// Node names are TensorFlow's: "add", "sub", "mul", "truediv", "mod", "and", ..., and for a number
// the constant "add/y" (or "add/x" on the left), of the dtype of the tensor. `==`, `<` and the like
// compare Output values, not tensors: use Equal, Less.
#pragma once

#include "headrace/ops/math/operand.h"

namespace headrace {

// At least one operand is a tensor. Errors and gradients: see binary.h. The location is that of the
// expression.
Output operator+(Operand x, Operand y);  // Add
Output operator-(Operand x, Operand y);  // Sub
Output operator*(Operand x, Operand y);  // Mul
// RealDiv; integers are cast first: int32 and int64 to float64, shorter ones to float32
// ("truediv/Cast").
Output operator/(Operand x, Operand y);
Output operator%(Operand x, Operand y);  // FloorMod: the sign of y
Output operator&(Operand x, Operand y);  // LogicalAnd
Output operator|(Operand x, Operand y);  // LogicalOr
Output operator-(Operand x);             // Neg
Output operator~(Operand x);             // LogicalNot

}  // namespace headrace
