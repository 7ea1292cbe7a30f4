// Bits of integers, element by element.
//
//   Output low = BitwiseAnd(x, 0xff);
//   Output ones = PopulationCount(x);
#pragma once

#include "headrace/ops/math/operand.h"
#include "headrace/ops/options.h"

namespace headrace {

// Shapes broadcast as NumPy's. DTypes: integers, both operands of one. Errors: InvalidArgument
// "Incompatible shapes: [2,3] vs. [4,3]". Gradient: none. Source: TensorFlow BitwiseAnd, BitwiseOr,
// BitwiseXor, LeftShift, RightShift.
Output BitwiseAnd(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output BitwiseOr(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output BitwiseXor(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
// A shift below 0 counts as 0, one beyond the width of the type as the width less one. To the right
// the sign of signed types is kept.
Output LeftShift(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());
Output RightShift(Operand x, Operand y, OpOptions o = {}, Location where = Location::Current());

// Every bit turned over. Shapes: `[...] -> [...]`. DTypes: integers. Gradient: none. Source:
// TensorFlow Invert.
Output Invert(Output x, OpOptions o = {}, Location where = Location::Current());
// How many bits are set, as uint8. Source: TensorFlow PopulationCount.
Output PopulationCount(Output x, OpOptions o = {}, Location where = Location::Current());

// x > threshold (of bool: x), eight answers a byte, the first in the highest bit. Shapes: `[..., 8
// k],
// [] -> [..., k]`. DTypes: bool, float16, float32, float64, int8 to int64. Errors: InvalidArgument
// where the last dimension is no multiple of 8. Gradient: error. Source: TensorFlow
// CompareAndBitpack.
Output CompareAndBitpack(Output x, Output threshold, OpOptions o = {},
                         Location where = Location::Current());

}  // namespace headrace
