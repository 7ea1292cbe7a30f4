// PNG images to and from uint8 tensors of shape [height, width, channels]; channels: 1 gray, 2 gray
// and alpha, 3 RGB, 4 RGBA.
//
//   HR_ASSIGN_OR_RETURN(std::string bytes, EncodePng(image));
//   HR_ASSIGN_OR_RETURN(Tensor again, DecodePng(bytes));
//
// Stateless, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// `level` is of compression, 0 to 9; -1: the library's choice. Errors: InvalidArgument for another
// dtype or shape.
StatusOr<std::string> EncodePng(const Tensor& image, int level = -1);
// `channels` 0: as the file has them. Palettes, 1 to 4 and 16 bits become 8 bits; interlaced files
// are read. Errors: InvalidArgument for bytes that are no PNG or one that is damaged or cut short.
StatusOr<Tensor> DecodePng(std::string_view bytes, int channels = 0);

}  // namespace headrace
