// A box inside a tensor: how a partitioned variable lies in a checkpoint.
//
//   HR_ASSIGN_OR_RETURN(TensorSlice rows, TensorSlice::Parse("3,2:-"));  // rows 3, 4; all columns
//   rows.ShapeIn(Shape{7, 2});                                           // [2,2]
//
// Value type.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/shape.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

class TensorSlice {
 public:
  static constexpr int64_t kFull = -1;  // as length: the whole dimension
  struct Extent {
    int64_t start = 0;
    int64_t length = kFull;
    friend bool operator==(const Extent&, const Extent&) = default;
  };

  TensorSlice() = default;
  static TensorSlice Full(int rank);
  // "start,length" for each dimension, or "-" for a whole one, joined by ":". Errors:
  // InvalidArgument.
  static StatusOr<TensorSlice> Parse(std::string_view text);

  int rank() const { return rank_; }
  const Extent& extent(int i) const { return extents_[static_cast<size_t>(i)]; }
  // Errors: InvalidArgument for more than kMaxRank dimensions or a negative start or length.
  Status Append(Extent extent);
  std::string ToString() const;

  // The shape of this part of a tensor of shape `full`. Errors: InvalidArgument if it is not
  // inside.
  StatusOr<Shape> ShapeIn(const Shape& full) const;
  // The same with every length written out. REQUIRES: ShapeIn(full) is OK.
  TensorSlice Explicit(const Shape& full) const;
  // The whole tensor? REQUIRES: ShapeIn(full) is OK.
  bool IsAllOf(const Shape& full) const;

  friend bool operator==(const TensorSlice& a, const TensorSlice& b) {
    return a.rank_ == b.rank_ && a.extents_ == b.extents_;
  }

 private:
  std::array<Extent, kMaxRank> extents_;
  int rank_ = 0;
};

// "7 2 0,3:0,2", as the save and restore ops have it: shape of the whole, then the slice.
struct ShapeAndSlice {
  Shape full_shape;
  TensorSlice slice;
};
StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view text);

// Copies what two parts of one tensor have in common from `source` (which is `source_slice` of it)
// into `target`, and returns the number of elements. REQUIRES: equal dtypes, slices explicit,
// shapes theirs.
int64_t CopyOverlap(const TensorSlice& source_slice, const Tensor& source,
                    const TensorSlice& target_slice, Tensor* target);
// The number of elements two explicit slices have in common.
int64_t OverlapElements(const TensorSlice& a, const TensorSlice& b);

}  // namespace headrace
