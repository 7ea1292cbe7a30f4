// How far sequences are from one another.
//
//   Output d = EditDistance(hypotheses, truths);       // one number a pair of sequences
#pragma once

#include "headrace/ops/options.h"

namespace headrace {

// Sequences as a sparse tensor holds them: the last dimension runs along a sequence.
struct SparseSequences {
  Output indices;      // [n, rank], int64, in order
  Output values;       // [n]
  Output dense_shape;  // [rank], int64
};
struct EditDistanceOptions {
  bool normalize = true;  // divided by the length of the true sequence
  std::string name;
};
// The Levenshtein distance of each pair: how many elements must be inserted, deleted or replaced.
// Normalised by an empty truth it is infinite, or 0 if both are empty. Shapes: sequences of ranks r
// -> [r - 1 dimensions, the larger of both], float32. DTypes: values numbers, bool, string.
// Errors: InvalidArgument for indices, values and shapes that do not fit together.
// Gradient: none. Source: TensorFlow EditDistance.
Output EditDistance(const SparseSequences& hypothesis, const SparseSequences& truth,
                    EditDistanceOptions o = {}, Location where = Location::Current());

}  // namespace headrace
