// Cross entropy of logits: how far predicted from true classes.
//
//   CrossEntropy e = SparseSoftmaxCrossEntropyWithLogits(logits, labels);  // labels: class numbers
//   Output loss = ReduceMean(e.loss);
//   Output l = SigmoidCrossEntropyWithLogits(targets, logits);  // independent yes/no classes
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

struct CrossEntropy {
  Output loss;                              // [n]
  Output backprop;                          // [n, C]: the gradient of each loss by its logits
  operator Output() const { return loss; }  // NOLINT: reads as the loss
};

// Classes that exclude each other, as a distribution for each row. Shapes: `[n, C], [n, C] -> [n],
// [n, C]`; dimensions of 1 broadcast. DTypes: float16, float32, float64. Errors: InvalidArgument
// "logits and labels must be broadcastable". Gradient: to logits (twice) and labels. Source:
// TensorFlow SoftmaxCrossEntropyWithLogits.
CrossEntropy SoftmaxCrossEntropyWithLogits(Output logits, Output labels, OpOptions o = {},
                                           Location where = Location::Current());

// The same with the number of the one true class. Shapes: `[n, C], [n] -> [n], [n, C]`. DTypes: as
// above; labels int32 or int64. Errors: InvalidArgument "Received a label value of 3 which is
// outside the valid range of [0, 3).  Label values: 0 3". Gradient: to the logits, once. Source:
// TensorFlow SparseSoftmaxCrossEntropyWithLogits.
CrossEntropy SparseSoftmaxCrossEntropyWithLogits(Output logits, Output labels, OpOptions o = {},
                                                 Location where = Location::Current());

// Classes that do not exclude each other: for each, max(x, 0) - x * z + log(1 + exp(-|x|)). From
// other ops ("logistic_loss" scope). Shapes: `[...], [...] -> [...]`, equal. DTypes: floats.
// Source: tf.nn.sigmoid_cross_entropy_with_logits.
Output SigmoidCrossEntropyWithLogits(Output labels, Output logits, OpOptions o = {},
                                     Location where = Location::Current());
// The same, true classes weighted by `pos_weight`. Source:
// tf.nn.weighted_cross_entropy_with_logits.
Output WeightedCrossEntropyWithLogits(Output targets, Output logits, double pos_weight,
                                      OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
