// Tensors for tests: random ones, conversions by value, comparisons that say what differs.
//
//   Tensor x = RandomTensor(DType::kFloat32, {2, 3}, -1, 1);
//   EXPECT_EQ(Difference(actual, expected, 1e-6), "");
//
// Pure functions; host memory only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "headrace/tensor/tensor.h"

namespace headrace::testing {

// Uniform in [low, high), the same for the same seed; whole numbers for integers, fair coins for
// bool.
Tensor RandomTensor(DType dtype, const Shape& shape, double low = -1, double high = 1,
                    uint64_t seed = 1);

// Element values as double (the real part of complex ones). REQUIRES: numbers or bool.
std::vector<double> ToDoubles(const Tensor& tensor);
// A tensor of `dtype` from doubles, rounded; to integers towards zero.
Tensor FromDoubles(const std::vector<double>& values, const Shape& shape,
                   DType dtype = DType::kFloat64);
// The same values as `dtype`. Complex to complex keeps the imaginary part.
Tensor Converted(const Tensor& tensor, DType dtype);

// "" when both have one shape and each |a - e| <= tolerance * max(1, |e|); NaN equals NaN,
// infinities their like. Else what differs first. The dtypes may differ: values count. Strings:
// equal.
std::string Difference(const Tensor& actual, const Tensor& expected, double tolerance);
// "" when dtype, shape and all bytes are the same (any NaN equals any other).
std::string BitDifference(const Tensor& actual, const Tensor& expected);
// How far a result of this dtype may be from one computed in float64.
double DefaultTolerance(DType dtype);

// A reference for element-wise ops, by value, in double. The inputs broadcast.
using Reference = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;
Reference Elementwise(double (*f)(double));
Reference Elementwise(double (*f)(double, double));
Reference Elementwise(double (*f)(double, double, double));

}  // namespace headrace::testing
