// IDX files: the arrays in which MNIST and its relatives come, gzipped or not.
//
//   HR_ASSIGN_OR_RETURN(Tensor images, ReadIdxFile("data/train-images-idx3-ubyte"));
//   images.shape();   // [60000,28,28], uint8
//
// Whether a file is gzipped is seen from its bytes, not from its name. Stateless, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

// DTypes: uint8, int8, int16, int32, float32, float64. If there is no file `path`, the same name
// with (or without) ".gz" is taken. Errors: NotFound naming the files looked for; InvalidArgument
// for what is no IDX file; DataLoss for one that is cut short, damaged, or longer than its header
// says.
StatusOr<Tensor> ReadIdxFile(const std::string& path);
// The same from memory; `name` is for messages.
StatusOr<Tensor> ParseIdx(std::string_view bytes, std::string_view name);

}  // namespace headrace
