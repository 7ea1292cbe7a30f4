// Shapes of tensors (Shape: every dimension known) and of graph edges (PartialShape: rank and
// dimensions may be unknown). Value types without allocation; at most kMaxRank dimensions.
//
//   Shape s{2, 3};              s.num_elements() == 6, s.ToString() == "[2,3]"
//   PartialShape p{-1, 784};    p.ToString() == "[?,784]";  PartialShape() is of unknown rank
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "headrace/base/status.h"

namespace headrace {

inline constexpr int kMaxRank = 8;

class Shape {
 public:
  constexpr Shape() = default;  // a scalar
  // Dimensions must be >= 0, at most kMaxRank of them: for values from outside use Make.
  constexpr Shape(std::initializer_list<int64_t> dims) : Shape(std::span(dims.begin(), dims.size())) {}
  constexpr explicit Shape(std::span<const int64_t> dims) : rank_(static_cast<uint8_t>(dims.size())) {
    for (size_t i = 0; i < dims.size(); ++i) dims_[i] = dims[i];
  }
  // Errors: InvalidArgument for a negative dimension, more than kMaxRank dimensions, or a number of
  // elements beyond 2^63.
  static StatusOr<Shape> Make(std::span<const int64_t> dims);

  constexpr int rank() const { return rank_; }
  constexpr int64_t dim(int i) const { return dims_[i]; }
  constexpr int64_t operator[](int i) const { return dims_[i]; }
  constexpr void set_dim(int i, int64_t size) { dims_[i] = size; }
  constexpr void Append(int64_t size) { dims_[rank_++] = size; }
  constexpr std::span<const int64_t> dims() const { return {dims_.data(), rank_}; }
  constexpr int64_t num_elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank_; ++i) n *= dims_[i];
    return n;
  }
  // Product of dimensions [begin, end).
  constexpr int64_t Product(int begin, int end) const {
    int64_t n = 1;
    for (int i = begin; i < end; ++i) n *= dims_[i];
    return n;
  }
  constexpr bool is_scalar() const { return rank_ == 0; }
  std::string ToString() const;

  friend constexpr bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a.dims_[i] != b.dims_[i]) return false;
    }
    return true;
  }

 private:
  std::array<int64_t, kMaxRank> dims_{};
  uint8_t rank_ = 0;
};

class PartialShape {
 public:
  static constexpr int64_t kUnknown = -1;

  constexpr PartialShape() = default;  // unknown rank
  constexpr PartialShape(std::initializer_list<int64_t> dims)
      : PartialShape(std::span(dims.begin(), dims.size())) {}
  constexpr explicit PartialShape(std::span<const int64_t> dims)
      : rank_(static_cast<int8_t>(dims.size())) {
    for (size_t i = 0; i < dims.size(); ++i) dims_[i] = dims[i] < 0 ? kUnknown : dims[i];
  }
  constexpr PartialShape(const Shape& shape) : PartialShape(shape.dims()) {}  // NOLINT: widening
  // A shape of known rank whose dimensions are all unknown.
  static constexpr PartialShape OfRank(int rank) {
    PartialShape shape;
    shape.rank_ = static_cast<int8_t>(rank);
    shape.dims_.fill(kUnknown);
    return shape;
  }
  // Errors: InvalidArgument for a dimension below -1 or too many of them.
  static StatusOr<PartialShape> Make(std::span<const int64_t> dims);

  constexpr bool has_rank() const { return rank_ >= 0; }
  constexpr int rank() const { return rank_; }  // -1 when unknown
  constexpr int64_t dim(int i) const { return dims_[i]; }
  constexpr int64_t operator[](int i) const { return dims_[i]; }
  constexpr void set_dim(int i, int64_t size) { dims_[i] = size; }
  constexpr void Append(int64_t size) { dims_[rank_++] = size; }
  constexpr std::span<const int64_t> dims() const {
    return {dims_.data(), static_cast<size_t>(rank_ < 0 ? 0 : rank_)};
  }
  bool is_fully_known() const;
  // -1 when not fully known.
  int64_t num_elements() const;
  // REQUIRES: is_fully_known().
  Shape ToShape() const { return Shape(dims()); }
  // Could both describe one tensor?
  bool IsCompatibleWith(const PartialShape& other) const;
  // What both together know. InvalidArgument: "shapes [2,3] and [?,4] are not compatible".
  StatusOr<PartialShape> MergedWith(const PartialShape& other) const;
  // "[?,784]", "<unknown>".
  std::string ToString() const;

  friend constexpr bool operator==(const PartialShape& a, const PartialShape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a.dims_[i] != b.dims_[i]) return false;
    }
    return true;
  }

 private:
  std::array<int64_t, kMaxRank> dims_{};
  int8_t rank_ = -1;
};

// NumPy broadcasting of two shapes. InvalidArgument: "Incompatible shapes: [2,3] vs. [4,3]".
StatusOr<Shape> BroadcastShapes(const Shape& a, const Shape& b);
StatusOr<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b);

}  // namespace headrace
