// Parts of a tensor as NumPy's and Python's brackets give them.
//
//   Output row = At(x, {2});                                                  // x[2]
//   Output y = At(x, {SliceIndex::Rest(), SliceIndex::Range(0, 10, 2)});      // x[..., 0:10:2]
//   Output z = At(x, {SliceIndex::All(), SliceIndex::NewAxis(), i});          // x[:, newaxis, i]
//   Output s = StridedSlice(x, {0}, {1}, {1}, {.shrink_axis_mask = 1});       // the op itself
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// One entry between the brackets.
class SliceIndex {
 public:
  SliceIndex(int index) : SliceIndex(IntArg(index)) {}  // NOLINT: one element; the dimension goes
  SliceIndex(int64_t index) : SliceIndex(IntArg(index)) {}  // NOLINT
  SliceIndex(Output index) : SliceIndex(IntArg(index)) {}   // NOLINT: a scalar int32 or int64
  static SliceIndex Range(IntArg begin, IntArg end, IntArg step = 1);  // begin:end:step
  static SliceIndex From(IntArg begin, IntArg step = 1);               // begin::step
  static SliceIndex To(IntArg end, IntArg step = 1);                   // :end:step
  static SliceIndex All(IntArg step = 1);                              // ::step
  static SliceIndex NewAxis();
  static SliceIndex Rest();  // ..., at most once

 private:
  friend Output At(Output x, std::vector<SliceIndex> indices, OpOptions o, Location where);
  enum class Kind { kIndex, kRange, kNewAxis, kRest };
  explicit SliceIndex(IntArg index) : begin_(std::move(index)) {}
  SliceIndex(Kind kind, std::optional<IntArg> begin, std::optional<IntArg> end, IntArg step)
      : kind_(kind), begin_(std::move(begin)), end_(std::move(end)), step_(std::move(step)) {}

  Kind kind_ = Kind::kIndex;
  std::optional<IntArg> begin_, end_;  // absent: from the start, to the end
  IntArg step_ = 1;
};

// x[indices]. Named "strided_slice". Errors, gradient: as StridedSlice.
Output At(Output x, std::vector<SliceIndex> indices, OpOptions o = {},
          Location where = Location::Current());

struct StridedSliceOptions {
  int64_t begin_mask = 0;        // bit i: begin[i] is not looked at, the range starts at the start
  int64_t end_mask = 0;          // bit i: the range goes to the end
  int64_t ellipsis_mask = 0;     // bit i: entry i stands for as many whole dimensions as are left
  int64_t new_axis_mask = 0;     // bit i: a new dimension of 1
  int64_t shrink_axis_mask = 0;  // bit i: the one element begin[i]; the dimension goes
  std::string name;
};
// Shapes: `[...], [n], [n], [n] -> ...`. DTypes: every one. Errors: InvalidArgument for a stride of
// 0, an index out of bounds with shrink, more entries than dimensions. Gradient: StridedSliceGrad,
// which is differentiated by StridedSlice. Source: TensorFlow StridedSlice.
Output StridedSlice(Output x, IntArg begin, IntArg end, IntArg strides, StridedSliceOptions o = {},
                    Location where = Location::Current());
// `dy` in a tensor of zeros of shape `shape`, at the place that StridedSlice would take. Source:
// TensorFlow StridedSliceGrad.
Output StridedSliceGrad(Output shape, Output begin, Output end, Output strides, Output dy,
                        StridedSliceOptions o = {}, Location where = Location::Current());
// Writes `value` to that part of a variable. Gradient: none. Source: TensorFlow StridedSliceAssign.
Output StridedSliceAssign(Output ref, IntArg begin, IntArg end, IntArg strides, Output value,
                          StridedSliceOptions o = {}, Location where = Location::Current());

}  // namespace headrace
