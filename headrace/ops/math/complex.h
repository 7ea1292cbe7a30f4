// Complex numbers and their parts, element by element.
//
//   Output z = Complex(re, im);
//   Output p = Mul(z, Conj(z));
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// Shapes: those of the input(s), which broadcast in Complex. DTypes: float32 with complex64,
// float64 with complex128. Source: the TensorFlow op of that name; Conj of a real tensor is the
// tensor itself, no node is made.
Output Complex(Output real, Output imag, OpOptions o = {}, Location where = Location::Current());
Output Real(Output x, OpOptions o = {}, Location where = Location::Current());
Output Imag(Output x, OpOptions o = {}, Location where = Location::Current());
Output Conj(Output x, OpOptions o = {}, Location where = Location::Current());
Output ComplexAbs(Output x, OpOptions o = {}, Location where = Location::Current());
Output Angle(Output x, OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
