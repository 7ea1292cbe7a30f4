// Functions of one tensor, element by element.
//
//   Output y = Tanh(x);
//   Output z = Exp(Neg(x), {.name = "decay"});
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// All: Shapes `[...] -> [...]`; result of the input's dtype (IsNan, IsInf, IsFinite: bool). Source:
// the TensorFlow op of that name; dtypes are those of its CPU kernel (`headrace ops NAME`), 16-bit
// types are computed in float32 and rounded once. Gradient: as in TensorFlow, differentiable again,
// unless stated. Errors: none in a step.

Output Abs(Output x, OpOptions o = {},
           Location where = Location::Current());  // of complex: ComplexAbs, a real result
Output Neg(Output x, OpOptions o = {}, Location where = Location::Current());
Output Sign(Output x, OpOptions o = {},
            Location where = Location::Current());  // -1, 0, 1 (0 for NaN); x / |x| of complex
Output Square(Output x, OpOptions o = {}, Location where = Location::Current());
Output Sqrt(Output x, OpOptions o = {}, Location where = Location::Current());
Output Rsqrt(Output x, OpOptions o = {}, Location where = Location::Current());
Output Inv(Output x, OpOptions o = {},
           Location where = Location::Current());  // old name of Reciprocal
Output Reciprocal(Output x, OpOptions o = {}, Location where = Location::Current());

Output Exp(Output x, OpOptions o = {}, Location where = Location::Current());
Output Expm1(Output x, OpOptions o = {}, Location where = Location::Current());
Output Log(Output x, OpOptions o = {}, Location where = Location::Current());
Output Log1p(Output x, OpOptions o = {}, Location where = Location::Current());
Output Sigmoid(Output x, OpOptions o = {}, Location where = Location::Current());
Output Tanh(Output x, OpOptions o = {}, Location where = Location::Current());

Output Sin(Output x, OpOptions o = {}, Location where = Location::Current());
Output Cos(Output x, OpOptions o = {}, Location where = Location::Current());
Output Tan(Output x, OpOptions o = {}, Location where = Location::Current());
Output Asin(Output x, OpOptions o = {}, Location where = Location::Current());
Output Acos(Output x, OpOptions o = {}, Location where = Location::Current());
Output Atan(Output x, OpOptions o = {}, Location where = Location::Current());
Output Sinh(Output x, OpOptions o = {}, Location where = Location::Current());
Output Cosh(Output x, OpOptions o = {}, Location where = Location::Current());
Output Asinh(Output x, OpOptions o = {}, Location where = Location::Current());
Output Acosh(Output x, OpOptions o = {}, Location where = Location::Current());
Output Atanh(Output x, OpOptions o = {}, Location where = Location::Current());
Output Erf(Output x, OpOptions o = {}, Location where = Location::Current());
Output Erfc(Output x, OpOptions o = {}, Location where = Location::Current());
Output Lgamma(Output x, OpOptions o = {},
              Location where = Location::Current());  // log of |gamma(x)|
Output Digamma(Output x, OpOptions o = {}, Location where = Location::Current());  // its derivative

// To whole numbers. Gradient: none. Round and Rint take the even neighbour of a half.
Output Ceil(Output x, OpOptions o = {}, Location where = Location::Current());
Output Floor(Output x, OpOptions o = {}, Location where = Location::Current());
Output Round(Output x, OpOptions o = {}, Location where = Location::Current());
Output Rint(Output x, OpOptions o = {}, Location where = Location::Current());

// Tests. Gradient: none.
Output IsNan(Output x, OpOptions o = {}, Location where = Location::Current());
Output IsInf(Output x, OpOptions o = {}, Location where = Location::Current());
Output IsFinite(Output x, OpOptions o = {}, Location where = Location::Current());
Output LogicalNot(Output x, OpOptions o = {}, Location where = Location::Current());

// Gradients of functions by their result y: dy * (1 - y^2) and so on, as ops of their own.
Output SigmoidGrad(Output y, Output dy, OpOptions o = {}, Location where = Location::Current());
Output TanhGrad(Output y, Output dy, OpOptions o = {}, Location where = Location::Current());
Output SqrtGrad(Output y, Output dy, OpOptions o = {}, Location where = Location::Current());
Output RsqrtGrad(Output y, Output dy, OpOptions o = {}, Location where = Location::Current());
Output InvGrad(Output y, Output dy, OpOptions o = {}, Location where = Location::Current());
Output ReciprocalGrad(Output y, Output dy, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
