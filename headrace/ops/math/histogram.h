// Counting numbers by where they fall.
//
//   Output n = Bincount(words, 1000);                    // how often each of 0..999 occurs
//   Output b = Bucketize(ages, {18, 65});                // 0, 1 or 2
//   Output h = HistogramFixedWidth(x, range, 100);       // range: [low, high]
#pragma once

#include <optional>
#include <vector>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

struct BincountOptions {
  Output weights;               // of arr's shape: added up instead of ones
  DType dtype = DType::kInt32;  // of the result, without weights
  std::string name;
};
// How often each number of [0, size) occurs in `arr`; larger ones are left out. Shapes: `[...] ->
// [size]`. DTypes: arr int32; weights int32, int64, float32, float64. Errors: InvalidArgument
// "Input arr must be non-negative!", a negative size, weights of another shape. Gradient: error.
// Source: TensorFlow Bincount.
Output Bincount(Output arr, IntArg size, BincountOptions o = {},
                Location where = Location::Current());

// How many of the rising `boundaries` are not greater than the element. Shapes: `[...] -> [...]`,
// int32. DTypes: int32, int64, float32, float64. NaN counts as above all. Errors: InvalidArgument
// "Expected sorted boundaries". Gradient: error. Source: TensorFlow Bucketize.
Output Bucketize(Output input, std::vector<float> boundaries, OpOptions o = {},
                 Location where = Location::Current());

struct HistogramOptions {
  DType dtype = DType::kInt32;  // or int64
  std::string name;
};
// How many values fall into each of `nbins` bins of equal width between value_range[0] and
// value_range[1]; those outside count in the first and last bin. NaN is left out. Shapes: `[...],
// [2] -> [nbins]`. DTypes: int32, int64, float32, float64. Errors: InvalidArgument for an empty
// range, or no bins. Gradient: error. Source: TensorFlow HistogramFixedWidth.
Output HistogramFixedWidth(Output values, Output value_range, IntArg nbins = 100,
                           HistogramOptions o = {}, Location where = Location::Current());

}  // namespace headrace
