// Which elements a reduction joins: the axes of an op seen as few dimensions, kept and reduced ones
// in turn.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "headrace/base/status.h"
#include "headrace/tensor/shape.h"

namespace headrace {

// Marks the axes; negative ones count from the end, one that is stated twice counts once. Errors:
// InvalidArgument "Invalid reduction dimension 2 for input with 2 dimension(s)".
StatusOr<std::array<bool, kMaxRank>> ReducedAxes(std::span<const int64_t> axes, int rank);

struct ReducePlan {
  struct Dim {
    int64_t size = 1, stride = 0;  // stride in elements of the input
  };
  Shape output;                // of the op
  int64_t outputs = 1;         // elements of the result
  int64_t count = 1;           // elements of the input that make one of the result
  bool inner_reduced = false;  // the innermost dimension is a reduced one
  int num_kept = 0, num_reduced = 0;
  std::array<Dim, kMaxRank> kept,
      reduced;  // outermost first; neighbours joined, dimensions of 1 dropped

  static StatusOr<ReducePlan> Make(const Shape& input, std::span<const int64_t> axes,
                                   bool keep_dims);
};

// Offset of element `index` of the row-major space that the dimensions span.
inline int64_t OffsetOf(std::span<const ReducePlan::Dim> dims, int64_t index) {
  int64_t offset = 0;
  for (size_t d = dims.size(); d-- > 0;) {
    offset += index % dims[d].size * dims[d].stride;
    index /= dims[d].size;
  }
  return offset;
}

}  // namespace headrace
