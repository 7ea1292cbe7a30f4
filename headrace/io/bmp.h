// BMP images, not compressed, as uint8 tensors of shape [height, width, channels].
//
//   HR_ASSIGN_OR_RETURN(Tensor image, DecodeBmp(bytes));
//
// Stateless, thread-safe.
#pragma once

#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// Of 8 bits a pixel (gray), 24 (RGB) or 32 (RGBA); `channels` must be what the file has, 0: any.
// Files with rows from below and from above are read. Palettes are not applied, as in TensorFlow.
// Errors: InvalidArgument for what is no such file, or cut short.
StatusOr<Tensor> DecodeBmp(std::string_view bytes, int channels = 0);

}  // namespace headrace
