// Borders around a tensor.
//
//   // One row above and below, two columns to the right:
//   Output y = Pad(x, IntArg::Matrix({1, 1, 0, 2}, 2));
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Shapes: `x, [rank, 2] -> x.dim[i] + paddings[i, 0] + paddings[i, 1]`. DTypes: every plain one,
// string. Errors: InvalidArgument "Paddings must be non-negative: 1 -1". Source: TensorFlow Pad,
// PadV2, MirrorPad.

// Zeros. Gradient: the inner box.
Output Pad(Output x, IntArg paddings, OpOptions o = {}, Location where = Location::Current());
// `value`, a scalar. Gradient: the inner box to x, none to the value.
Output PadV2(Output x, IntArg paddings, Output value, OpOptions o = {},
             Location where = Location::Current());

struct MirrorPadOptions {
  bool symmetric = false;  // the border repeats the edge (SYMMETRIC); else it is left out (REFLECT)
  std::string name;
};
// The tensor mirrored at its edges. Errors: InvalidArgument when a padding is as large as the
// dimension (larger, if symmetric). Gradient: what falls on one element is added.
Output MirrorPad(Output x, IntArg paddings, MirrorPadOptions o = {},
                 Location where = Location::Current());
Output MirrorPadGrad(Output x, IntArg paddings, MirrorPadOptions o = {},
                     Location where = Location::Current());

}  // namespace headrace
