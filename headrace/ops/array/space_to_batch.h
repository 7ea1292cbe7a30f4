// Moves blocks of spatial dimensions into the batch, and back: how dilated convolutions are
// computed by plain ones.
//
//   const IntArg padding = IntArg::Matrix({0, 0, 2, 0}, 2);
//   Output b = SpaceToBatchND(x, {2, 2}, padding);  // [1, 2, 2, 1] -> [4, 1, 2, 1]
//   Output y = BatchToSpaceND(b, {2, 2}, padding);  // x again
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// DTypes: real numbers. Errors: InvalidArgument for blocks below 1, negative paddings or crops,
// sizes that blocks do not divide. Gradient: the other one of each pair. Source: TensorFlow
// SpaceToBatchND, BatchToSpaceND, SpaceToBatch, BatchToSpace.

// Pads the spatial dimensions 1..M with zeros, as `paddings` ([M, 2], before and after) says, and
// gives each element of a block a batch of its own. Shapes: `[n, s1, .., sM, ...], [M], [M, 2] ->
// [n * product(block_shape), (pad + s1 + pad) / block1, .., ...]`.
Output SpaceToBatchND(Output input, IntArg block_shape, IntArg paddings, OpOptions o = {},
                      Location where = Location::Current());
// The reverse; `crops` ([M, 2]) are cut off. Shapes: `[n * product(block_shape), s1, .., sM, ...],
// [M], [M, 2] -> [n, s1 * block1 - crops, .., ...]`.
Output BatchToSpaceND(Output input, IntArg block_shape, IntArg crops, OpOptions o = {},
                      Location where = Location::Current());

// Images `[n, h, w, c]` with square blocks. `block_size` is at least 2.
Output SpaceToBatch(Output input, IntArg paddings, int64_t block_size, OpOptions o = {},
                    Location where = Location::Current());
Output BatchToSpace(Output input, IntArg crops, int64_t block_size, OpOptions o = {},
                    Location where = Location::Current());

}  // namespace headrace
