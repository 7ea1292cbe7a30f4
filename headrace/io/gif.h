// GIF images, animated or not, as uint8 tensors of shape [frames, height, width, 3].
//
//   HR_ASSIGN_OR_RETURN(Tensor frames, DecodeGif(bytes));
//
// Stateless, thread-safe.
#pragma once

#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// A frame that covers a part only shows the frame before it elsewhere. Errors: InvalidArgument for
// bytes that are no GIF, damaged or cut short, and where the first frame does not cover the others.
StatusOr<Tensor> DecodeGif(std::string_view bytes);

}  // namespace headrace
