// Moves square blocks of pixels into the channels of images, and back.
//
//   Output y = SpaceToDepth(x, 2);      // [n, h, w, c] -> [n, h / 2, w / 2, 4 * c]
//   Output x2 = DepthToSpace(y, 2);     // x again
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct SpaceToDepthOptions {
  std::string data_format = "NHWC";  // or "NCHW"
  std::string name;
};
// The pixels of a block lie one after the other in the channels, each with all of its own. DTypes:
// every one but variant and unsigned ones of 32 and 64 bits. Errors: InvalidArgument for another
// rank, sizes that the block does not divide, block_size below 2. Gradient: the other one. Source:
// TensorFlow SpaceToDepth, DepthToSpace; unlike its CPU kernels, these take both layouts.
Output SpaceToDepth(Output input, int64_t block_size, SpaceToDepthOptions o = {},
                    Location where = Location::Current());
Output DepthToSpace(Output input, int64_t block_size, SpaceToDepthOptions o = {},
                    Location where = Location::Current());

}  // namespace headrace
