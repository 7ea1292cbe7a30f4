// Sums and means over groups of rows that are picked by index: embeddings of lists of words.
//
//   Output bags = SparseSegmentMean(table, words, bag);      // bags[k] = mean of table[words[i]]
//                                                            // with bag[i] == k
#pragma once

#include <optional>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct SparseSegmentOptions {
  std::optional<IntArg> num_segments;  // segments of the result; default: last id + 1
  std::string name;
};
// segment_ids never fall. Shapes: `[v, rest...], [n], [n] -> [segments, rest...]`; a segment
// without rows is 0. SqrtN divides the sum by the root of the number of rows. DTypes: Sum real
// numbers, Mean and SqrtN float32 and float64; indices int32, int64. Errors: InvalidArgument for an
// index or id out of range ("indices[2] == 2 out of range [0, 2)"), "segment ids are not
// increasing". Gradient: to data. Source: TensorFlow SparseSegmentSum, SparseSegmentMean,
// SparseSegmentSqrtN, and these WithNumSegments.
Output SparseSegmentSum(Output data, Output indices, Output segment_ids,
                        SparseSegmentOptions o = {}, Location where = Location::Current());
Output SparseSegmentMean(Output data, Output indices, Output segment_ids,
                         SparseSegmentOptions o = {}, Location where = Location::Current());
Output SparseSegmentSqrtN(Output data, Output indices, Output segment_ids,
                          SparseSegmentOptions o = {}, Location where = Location::Current());

// Their gradients to data: rows of `grad`, divided by the size of their segment (or its root),
// added up by index. Shapes: `[s, rest...], [n], [n], [] -> [output_dim0, rest...]`. Gradient: to
// grad. Source: TensorFlow SparseSegmentMeanGrad, SparseSegmentSqrtNGrad.
Output SparseSegmentMeanGrad(Output grad, Output indices, Output segment_ids, Output output_dim0,
                             OpOptions o = {}, Location where = Location::Current());
Output SparseSegmentSqrtNGrad(Output grad, Output indices, Output segment_ids, Output output_dim0,
                              OpOptions o = {}, Location where = Location::Current());

}  // namespace headrace
