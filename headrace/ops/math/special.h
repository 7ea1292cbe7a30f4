// Functions of mathematical physics and statistics: incomplete gamma and beta functions, Bessel
// functions; and neighbours of floating-point numbers.
//
//   Output p = Igamma(shape, x);        // the part of a gamma distribution below x
//   Output y = BesselI0e(x);
#pragma once

#include "headrace/ops/math/operand.h"
#include "headrace/ops/options.h"

namespace headrace {

// The regularised incomplete gamma functions: Igamma the lower one P(a, x), Igammac the upper one
// 1 - P. Shapes broadcast. DTypes: float32, float64. NaN where a <= 0 or x < 0. Errors:
// InvalidArgument for shapes that do not broadcast. Gradient: to both. Source: TensorFlow Igamma,
// Igammac.
Output Igamma(Operand a, Operand x, OpOptions o = {}, Location where = Location::Current());
Output Igammac(Operand a, Operand x, OpOptions o = {}, Location where = Location::Current());
// The derivative of Igamma with respect to a. Gradient: error. Source: TensorFlow IgammaGradA.
Output IgammaGradA(Operand a, Operand x, OpOptions o = {}, Location where = Location::Current());

// The regularised incomplete beta function. Shapes: all three alike, or scalars among them. DTypes:
// float32, float64. NaN where a <= 0, b <= 0, or x outside [0, 1]. Errors: InvalidArgument for
// other shapes. Gradient: to x. Source: TensorFlow Betainc.
Output Betainc(Output a, Output b, Output x, OpOptions o = {},
               Location where = Location::Current());

// exp(-|x|) times the modified Bessel function of order 0 or 1. Shapes: `[...] -> [...]`. DTypes:
// floating ones. Gradient: yes, differentiable again. Source: TensorFlow BesselI0e, BesselI1e.
Output BesselI0e(Output x, OpOptions o = {}, Location where = Location::Current());
Output BesselI1e(Output x, OpOptions o = {}, Location where = Location::Current());

// The next number after x1 in the direction of x2. Shapes broadcast. DTypes: float32, float64.
// Gradient: that of x1 alone. Source: TensorFlow NextAfter.
Output NextAfter(Operand x1, Operand x2, OpOptions o = {}, Location where = Location::Current());

struct ApproximateEqualOptions {
  float tolerance = 1e-5f;
  std::string name;
};
// |x - y| < tolerance. Shapes: both alike, no broadcasting. DTypes: float32, float64. Errors:
// InvalidArgument for different shapes. Gradient: none. Source: TensorFlow ApproximateEqual.
Output ApproximateEqual(Output x, Output y, ApproximateEqualOptions o = {},
                        Location where = Location::Current());

}  // namespace headrace
