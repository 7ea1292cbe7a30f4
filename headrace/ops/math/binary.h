// Functions of two tensors, element by element, with broadcasting.
//
//   Output z = Add(x, y);                 // also x + y, see operators.h
//   Output z = Mul(x, 2.0f);              // the constant "Mul/y" of x's dtype
#pragma once

#include "headrace/ops/math/operand.h"
#include "headrace/ops/options.h"

namespace headrace {

// All: Shapes broadcast as NumPy's: `[2, 3], [3] -> [2, 3]`. Both operands have one dtype, the
// result too; dtypes are those of TensorFlow's CPU kernel of that name (`headrace ops NAME`).
// Errors: InvalidArgument "Incompatible shapes: [2,3] vs. [4,3]"; integer division by zero:
// InvalidArgument "Integer division by zero". Integers wrap on overflow. Gradient: as in
// TensorFlow, differentiable again, unless stated.

Output Add(Operand x, Operand y, OpOptions o = {},
           Location where = Location::Current());  // joins strings too
Output AddV2(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output Sub(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output Mul(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output Div(Operand x, Operand y, OpOptions o = {},
           Location where = Location::Current());  // integers: towards zero
Output RealDiv(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output TruncateDiv(Operand x, Operand y, OpOptions o = {},
                   Location where = Location::Current());  // Gradient: none
Output FloorDiv(Operand x, Operand y, OpOptions o = {},
                Location where = Location::Current());  // Gradient: none
Output Mod(Operand x, Operand y, OpOptions o = {},
           Location where = Location::Current());  // sign of x. Gradient: error
Output TruncateMod(Operand x, Operand y, OpOptions o = {},
                   Location where = Location::Current());  // the same
Output FloorMod(Operand x, Operand y, OpOptions o = {},
                Location where = Location::Current());  // sign of y
Output DivNoNan(Operand x, Operand y, OpOptions o = {},
                Location where = Location::Current());  // 0 where y is 0
Output MulNoNan(Operand x, Operand y, OpOptions o = {},
                Location where = Location::Current());  // 0 where y is 0
Output Xdivy(Operand x, Operand y, OpOptions o = {},
             Location where = Location::Current());  // 0 where x is 0
Output Xlogy(Operand x, Operand y, OpOptions o = {},
             Location where = Location::Current());  // 0 where x is 0
// Integers: InvalidArgument "Integers to negative integer powers are not allowed".
Output Pow(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output Maximum(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output Minimum(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output SquaredDifference(Operand x, Operand y, OpOptions o = {},
                         Location where = Location::Current());
Output Atan2(Operand y, Operand x, OpOptions o = {}, Location where = Location::Current());
// Derivative of order x of Digamma at y, and the Hurwitz zeta function. Gradient: to y only.
Output Polygamma(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output Zeta(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());

// Comparisons: the result is bool. Gradient: none.
struct EqualOptions {
  // `false`: shapes that do not broadcast are unequal, a scalar.
  bool incompatible_shape_error = true;
  std::string name;
};
Output Equal(Operand x, Operand y, EqualOptions o = {}, Location where = Location::Current());
Output NotEqual(Operand x, Operand y, EqualOptions o = {}, Location where = Location::Current());
Output Less(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output LessEqual(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output Greater(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output GreaterEqual(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());

// DTypes: bool. Gradient: none.
Output LogicalAnd(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output LogicalOr(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
