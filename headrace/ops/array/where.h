// Where things are, and which different ones there are: results whose size depends on values.
//
//   Output at = Where(mask);              // [n, rank] int64: the coordinates of true elements
//   UniqueResult u = Unique(ids);         // u.y[u.idx[i]] == ids[i]
//   Output kept = BooleanMask(x, mask);
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Coordinates of the elements that are not zero (or true), in row-major order. Shapes: `x -> [?,
// rank]`, int64. Gradient: none. Source: TensorFlow Where.
Output Where(Output x, OpOptions o = {}, Location where = Location::Current());

struct UniqueOptions {
  DType out_idx = DType::kInt32;  // or int64
  std::string name;
};
struct UniqueResult {
  Output y;      // each value once, in order of first appearance
  Output idx;    // for each input element, its place in y
  Output count;  // how often (UniqueWithCounts; invalid otherwise)
};
// Shapes: `[n] -> [?], [n]`. DTypes: numbers, bool, string. Errors: InvalidArgument "unique expects
// a 1D vector." Gradient: none. NaN differs from every other NaN. Source: TensorFlow Unique,
// UniqueWithCounts.
UniqueResult Unique(Output x, UniqueOptions o = {}, Location where = Location::Current());
UniqueResult UniqueWithCounts(Output x, UniqueOptions o = {}, Location where = Location::Current());
// Along one axis: slices that are equal are one. An empty axis = the flat vector. Source:
// TensorFlow UniqueV2, UniqueWithCountsV2.
UniqueResult UniqueV2(Output x, IntArg axis, UniqueOptions o = {},
                      Location where = Location::Current());
UniqueResult UniqueWithCountsV2(Output x, IntArg axis, UniqueOptions o = {},
                                Location where = Location::Current());

struct BooleanMaskOptions {
  int64_t axis = 0;  // where in x the mask's dimensions begin
  std::string name;
};
// The parts of x where `mask` is true. Shapes: `x, [m dims of x from axis on] -> [..., ?, ...]`.
// From other ops. Gradient: through Gather. Source: tf.boolean_mask.
Output BooleanMask(Output x, Output mask, BooleanMaskOptions o = {},
                   Location where = Location::Current());

}  // namespace headrace
