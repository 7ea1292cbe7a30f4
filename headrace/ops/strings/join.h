// Strings put together, and taken apart.
//
//   Output path = StringJoin({folder, name}, {.separator = "/"});
//   StringPieces words = StringSplitV2(lines, Const(g, std::string(" ")));   // a sparse tensor
//
// DTypes: string unless said otherwise. Gradient: none.
#pragma once

#include <span>
#include <string>

#include "headrace/ops/options.h"

namespace headrace {

struct StringJoinOptions {
  std::string separator;
  std::string name;
};
// Element by element; scalars stand for as many as there are of others. Shapes: `s, s, ... -> s`.
// Errors: InvalidArgument "Input shapes do not match: [1] vs. [2]". Source: TensorFlow StringJoin.
Output StringJoin(std::span<const Output> inputs, StringJoinOptions o = {},
                  Location where = Location::Current());
inline Output StringJoin(std::initializer_list<Output> inputs, StringJoinOptions o = {},
                         Location where = Location::Current()) {
  return StringJoin(std::span(inputs.begin(), inputs.size()), std::move(o), where);
}

struct ReduceJoinOptions {
  bool keep_dims = false;
  std::string separator;
  std::string name;
};
// The elements along `axes` joined, those of the first axis that is named changing fastest; no axes:
// nothing is joined. DTypes of axes: int32. Errors: InvalidArgument "Duplicate reduction dimension
// 0". Source: TensorFlow ReduceJoin.
Output ReduceJoin(Output text, Output axes, ReduceJoinOptions o = {},
                  Location where = Location::Current());

// The elements of each segment joined. Shapes: `[a..., b...], [a...], [] -> [num_segments, b...]`.
// DTypes of the others: int32, int64. Errors: InvalidArgument for ids outside. Source: TensorFlow
// UnsortedSegmentJoin.
Output UnsortedSegmentJoin(Output text, Output segment_ids, Output num_segments,
                           StringJoinOptions o = {}, Location where = Location::Current());

// A sparse matrix: indices `[n, 2]` int64, values `[n]`, shape `[2]` int64.
struct StringPieces {
  Output indices, values, shape;
};
struct StringSplitOptions {
  bool skip_empty = true;
  std::string name;
};
// Splits each text at every byte that is in `delimiter`; "" splits off every byte. Shapes: `[n],
// []`. Source: TensorFlow StringSplit.
StringPieces StringSplit(Output text, Output delimiter, StringSplitOptions o = {},
                         Location where = Location::Current());
struct StringSplitV2Options {
  int64_t maxsplit = -1;  // below 1: all
  std::string name;
};
// Splits each text as Python's str.split does: at `separator`, or at runs of white space for "".
// Source: TensorFlow StringSplitV2.
StringPieces StringSplitV2(Output text, Output separator, StringSplitV2Options o = {},
                           Location where = Location::Current());

}  // namespace headrace
