// The largest elements of each row, and whether a class is among them.
//
//   TopKOutputs t = TopK(scores, 5);                        // t.values, t.indices: [..., 5]
//   Output right = InTopK(logits, labels, 1);               // bool for each row
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct TopKOptions {
  bool sorted = true;  // largest first; false: in any order
  std::string name;
};
struct TopKOutputs {
  Output values, indices;
};
// Shapes: `[..., n], [] -> [..., k], [..., k]`. Of equal elements the one with the lower index
// comes first; NaN counts as largest. DTypes: real numbers; indices int32. Errors: InvalidArgument
// "input must have at least k columns. Had 3, needed 4". Gradient: to the places the values came
// from. Source: TensorFlow TopKV2.
TopKOutputs TopK(Output input, IntArg k, TopKOptions o = {}, Location where = Location::Current());

// True where fewer than k predictions of a row are larger than that of the target class: ties count
// as in. False where the target is no class, or where its or an earlier larger-or-not prediction is
// not finite. Shapes: `[n, classes], [n], [] -> [n]`. DTypes: predictions float32; targets int32 or
// int64. Gradient: none. Source: TensorFlow InTopKV2 (tf.nn.in_top_k).
Output InTopK(Output predictions, Output targets, IntArg k, OpOptions o = {},
              Location where = Location::Current());

}  // namespace headrace
