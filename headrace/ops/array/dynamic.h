// Sorting rows into parts by number, and putting parts back in order.
//
//   std::vector<Output> parts = DynamicPartition(rows, which, 2);
//   Output all = DynamicStitch(indices, parts);                  // all[indices[k][i]] =
//   parts[k][i]
#pragma once

#include <span>
#include <vector>

#include "headrace/ops/options.h"

namespace headrace {

// Part k gets the rows i with partitions[i] == k, in order. Shapes: `[p..., rest...], [p...] -> num
// x [?, rest...]`. DTypes: every one. Errors: InvalidArgument "partitions[1] = 2 is not in [0, 2)".
// Gradient: stitched back. Source: TensorFlow DynamicPartition.
std::vector<Output> DynamicPartition(Output data, Output partitions, int64_t num, OpOptions o = {},
                                     Location where = Location::Current());

struct DynamicStitchOptions {
  bool parallel = false;  // ParallelDynamicStitch: of equal indices any may win, not the last
  std::string name;
};
// Shapes: `n x [i_k...], n x [i_k..., rest...] -> [largest index + 1, rest...]`; rows that no index
// names are 0. Errors: InvalidArgument "indices[1] is out of range" for a negative index. Gradient:
// gathered. Source: TensorFlow DynamicStitch.
Output DynamicStitch(std::span<const Output> indices, std::span<const Output> data,
                     DynamicStitchOptions o = {}, Location where = Location::Current());

}  // namespace headrace
