// Max pooling that also tells where the maxima were.
//
//   MaxPoolWithArgmaxOutputs p = MaxPoolWithArgmax(x, {.ksize = {1, 2, 2, 1}, .strides = {1, 2, 2,
//   1}});
#pragma once

#include "headrace/ops/nn/pool.h"

namespace headrace {

struct MaxPoolWithArgmaxOptions {
  std::vector<int64_t> ksize = {1, 2, 2, 1};
  std::vector<int64_t> strides = {1, 2, 2, 1};
  std::string padding = "SAME";
  bool include_batch_in_index = false;  // count from the start of the batch, not of the image
  DType argmax_type = DType::kInt64;
  std::string name;
};
struct MaxPoolWithArgmaxOutputs {
  Output output, argmax;
};
// argmax: (y * width + x) * channels + channel. Shapes: `[n, h, w, c] -> [n, oh, ow, c]` twice.
// DTypes: those of MaxPool; argmax int64. Of equal elements the first counts; a NaN that comes
// first is the maximum. Errors: as MaxPool. Gradient: MaxPoolGradWithArgmax, whose own is
// MaxPoolGradGradWithArgmax. Source: TensorFlow MaxPoolWithArgmax.
MaxPoolWithArgmaxOutputs MaxPoolWithArgmax(Output input, MaxPoolWithArgmaxOptions o = {},
                                           Location where = Location::Current());
// `grad` added to zeros like `input`, at the places `argmax`. Errors: InvalidArgument for a place
// outside the image (or the batch).
Output MaxPoolGradWithArgmax(Output input, Output grad, Output argmax,
                             MaxPoolWithArgmaxOptions o = {}, Location where = Location::Current());
// The reverse: of `grad`, which has the shape of the input, what lies at the places `argmax`.
// Errors: as MaxPoolGradWithArgmax. Source: TensorFlow MaxPoolGradGradWithArgmax.
Output MaxPoolGradGradWithArgmax(Output input, Output grad, Output argmax,
                                 MaxPoolWithArgmaxOptions o = {},
                                 Location where = Location::Current());

}  // namespace headrace
