// Loops of reductions, for each dtype, compiled for several instruction sets. An accumulator is
// float32 for 16-bit floats, int64 for the mean of integers, else of the dtype itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "headrace/tensor/dtype.h"

namespace headrace {

struct ReduceRows {
  int64_t size = 0;              // bytes of an element
  int64_t accumulator_size = 0;  // bytes of an accumulator
  // Accumulators of nothing.
  void (*init)(void* acc, int64_t n) = nullptr;
  // One accumulator joined with n neighbours, in an order that depends on n alone.
  void (*row)(void* acc, const void* x, int64_t n) = nullptr;
  // acc[i] joined with x[r * stride + i] for all rows r in order; i in [0, n).
  void (*columns)(void* acc, const void* x, int64_t rows, int64_t stride, int64_t n) = nullptr;
  // acc[i] joined with other[i].
  void (*combine)(void* acc, const void* other, int64_t n) = nullptr;
  // Results from accumulators of `count` elements each.
  void (*finish)(const void* acc, void* out, int64_t n, int64_t count) = nullptr;
  // Whether the result of a single element is that element.
  bool keeps_single = true;
  bool valid() const { return row != nullptr; }
};

// `op`: "Sum", "Mean", "EuclideanNorm", "Prod", "Max", "Min", "All", "Any". Not valid() for a dtype
// that the op does not take.
ReduceRows FindReduceRows(std::string_view op, DType type);
// The same for real numbers and bools only, with the best instructions of this processor.
ReduceRows FindSimdReduceRows(std::string_view op, DType type);

}  // namespace headrace
