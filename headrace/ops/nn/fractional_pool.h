// Pooling with windows of random sizes, so that an image shrinks by a factor that is no whole
// number.
//
//   FractionalPoolOutputs p = FractionalMaxPool(x, {.pooling_ratio = {1, 1.44, 1.73, 1}, .seed =
//   7}); p.output                                    // [n, h, w, c] -> [n, h / 1.44, w / 1.73, c]
#pragma once

#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

struct FractionalPoolOptions {
  std::vector<float> pooling_ratio = {1, 1, 1, 1};  // at least 1; 1 for batch and channels
  bool pseudo_random = false;                       // sizes from one random number, else shuffled
  bool overlapping = false;                         // neighbours share the row between them
  bool deterministic = false;                       // the same windows in each run
  int64_t seed = 0, seed2 = 0;                      // of deterministic ones; both 0: any
  std::string name;
};
struct FractionalPoolOutputs {
  Output output;
  Output row_pooling_sequence, col_pooling_sequence;  // where the windows begin, and the end; int64
};
// Shapes: `[n, h, w, c] -> [n, floor(h / ratio), floor(w / ratio), c]` and the sequences. DTypes:
// float32, float64, int32, int64. Errors: InvalidArgument for another rank, another number of
// ratios, ratios below 1, nothing left, seeds without `deterministic`; Unimplemented for ratios of
// batch or channels. Gradient: the ops below, once; to the first of equal maxima. The sequences
// follow from the seeds as in TensorFlow, bit for bit. Source: Graham, Fractional Max-Pooling,
// 2014; TensorFlow FractionalMaxPool, FractionalAvgPool.
FractionalPoolOutputs FractionalMaxPool(Output value, FractionalPoolOptions o = {},
                                        Location where = Location::Current());
FractionalPoolOutputs FractionalAvgPool(Output value, FractionalPoolOptions o = {},
                                        Location where = Location::Current());

struct FractionalPoolGradOptions {
  bool overlapping = false;
  std::string name;
};
Output FractionalMaxPoolGrad(Output orig_input, Output orig_output, Output out_backprop,
                             Output row_pooling_sequence, Output col_pooling_sequence,
                             FractionalPoolGradOptions o = {},
                             Location where = Location::Current());
// `orig_input_tensor_shape`: int64, 4 numbers.
Output FractionalAvgPoolGrad(Output orig_input_tensor_shape, Output out_backprop,
                             Output row_pooling_sequence, Output col_pooling_sequence,
                             FractionalPoolGradOptions o = {},
                             Location where = Location::Current());

}  // namespace headrace
