// Picking parts of a tensor by index, and putting parts back.
//
//   Output rows = Gather(table, ids);                 // [V, d], [n] -> [n, d]
//   Output x = GatherNd(m, Const(g, {{0, 1}, {2, 3}}));   // elements m[0, 1] and m[2, 3]
//   Output y = ScatterNd(indices, updates, {8});      // zeros, with updates added at the indices
#pragma once

#include <cstdint>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct GatherOptions {
  IntArg axis = 0;         // in [-rank, rank)
  int64_t batch_dims = 0;  // leading dimensions that params and indices share
  std::string name;
};
// Shapes: `p[0..axis) + indices[batch_dims..] + p(axis..]`. DTypes: params every one; indices
// int32, int64. Errors: InvalidArgument "indices[1,0] = -1 is not in [0, 4)". Gradient: along axis
// 0 IndexedSlices, no dense tensor is made; else UnsortedSegmentSum. Source: TensorFlow GatherV2.
Output Gather(Output params, Output indices, GatherOptions o = {},
              Location where = Location::Current());

// Shapes: `p, [..., k] -> indices[..] + p(k..]`. Errors: InvalidArgument "indices[1] = [0, 9] does
// not index into param shape [2,3]". Gradient: ScatterNd (slices where k is 1 and indices are a
// matrix). Source: TensorFlow GatherNd.
Output GatherNd(Output params, Output indices, OpOptions o = {},
                Location where = Location::Current());

// Updates added, in order, into zeros of `shape`. Strings: the last one wins. Errors: as GatherNd.
// Gradient: GatherNd. Source: TensorFlow ScatterNd.
Output ScatterNd(Output indices, Output updates, IntArg shape, OpOptions o = {},
                 Location where = Location::Current());

}  // namespace headrace
