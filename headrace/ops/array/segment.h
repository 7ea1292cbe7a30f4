// Sums over groups of rows.
//
//   Output y = UnsortedSegmentSum(rows, ids, 10);    // y[k] = sum of rows[i] with ids[i] == k
//   Output z = SegmentSum(rows, sorted_ids);
#pragma once

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Shapes: `[ids..., rest...], [ids...] -> [num_segments, rest...]`. Rows with a negative id are
// left out; a segment without rows is 0 (1 for products, the lowest and highest number for maxima
// and minima). The order of addition is that of the rows. DTypes: numbers. Errors: InvalidArgument
// "segment_ids[1] = 5 is out of range [0, 3)". Gradient: the segment's gradient to its rows (maxima
// and minima: shared among the equal ones). Source: TensorFlow UnsortedSegmentSum, Prod, Max, Min.
Output UnsortedSegmentSum(Output data, Output segment_ids, IntArg num_segments, OpOptions o = {},
                          Location where = Location::Current());
Output UnsortedSegmentMax(Output data, Output segment_ids, IntArg num_segments, OpOptions o = {},
                          Location where = Location::Current());
Output UnsortedSegmentMin(Output data, Output segment_ids, IntArg num_segments, OpOptions o = {},
                          Location where = Location::Current());

// The same for ids that never fall, `[n, rest...], [n] -> [last id + 1, rest...]`; segments without
// rows are 0. Errors: InvalidArgument "segment ids are not increasing". Source: TensorFlow
// SegmentSum, SegmentMean, SegmentMax, SegmentMin.
Output SegmentSum(Output data, Output segment_ids, OpOptions o = {},
                  Location where = Location::Current());
Output SegmentMean(Output data, Output segment_ids, OpOptions o = {},
                   Location where = Location::Current());
Output SegmentMax(Output data, Output segment_ids, OpOptions o = {},
                  Location where = Location::Current());
Output SegmentMin(Output data, Output segment_ids, OpOptions o = {},
                  Location where = Location::Current());

}  // namespace headrace
