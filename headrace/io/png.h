// PNG images to and from uint8 or uint16 tensors of shape [height, width, channels]; channels: 1 gray,
// 2 gray and alpha, 3 RGB, 4 RGBA.
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

// uint16 tensors make files of 16 bits. `level` is of compression, 0 to 9; -1: the library's choice.
// Errors: InvalidArgument for another dtype or shape.
StatusOr<std::string> EncodePng(const Tensor& image, int level = -1);
// `channels` 0: as the file has them. Palettes and 1 to 4 bits become 8 bits; as uint8, 16 bits lose
// the lower half; as uint16, v of 8 bits becomes 257 v. Interlaced files are read. Errors:
// InvalidArgument for bytes that are no PNG or one that is damaged or cut short.
StatusOr<Tensor> DecodePng(std::string_view bytes, int channels = 0, DType dtype = DType::kUInt8);

}  // namespace headrace
