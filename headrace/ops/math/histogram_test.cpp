#include "headrace/ops/math/histogram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;

Tensor Ints(std::initializer_list<int32_t> values) {
  return Tensor::Of<int32_t>(values);
}

TEST(Bincount, CountsAndAddsWeights) {
  const Tensor arr = Tensor::Of<int32_t>({1, 2, 1, 7}, {2, 2}), four = Tensor::Scalar<int32_t>(4);
  CheckOp({.op = "Bincount",
           .inputs = {arr, four, Tensor(DType::kInt64, {0})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<int64_t>({0, 2, 1, 0})}});
  CheckOp({.op = "Bincount",
           .inputs = {arr, four, Tensor::Of<float>({0.5, 1, 2, 9}, {2, 2})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({0, 2.5, 1, 0})},
           .gradient_of = {{}}});
  CheckOp({.op = "Bincount",
           .inputs = {Tensor(DType::kInt32, {0}), Tensor::Scalar<int32_t>(0),
                      Tensor(DType::kInt32, {0})},
           .constant_inputs = {1},
           .expected = {Tensor(DType::kInt32, {0})}});
}

TEST(Bincount, RefusesWhatItCannotCount) {
  const Tensor none(DType::kInt32, {0});
  CheckOpError({.op = "Bincount",
                .inputs = {Ints({-1, 2}), Tensor::Scalar<int32_t>(3), none},
                .text = "Input arr must be non-negative!",
                .at_build = false});
  CheckOpError({.op = "Bincount",
                .inputs = {Ints({1}), Tensor::Scalar<int32_t>(-3), none},
                .constant_inputs = {1},
                .text = "size (-3) must be non-negative"});
  CheckOpError({.op = "Bincount",
                .inputs = {Ints({1, 2}), Tensor::Scalar<int32_t>(3), Ints({1})},
                .text = "weights must be empty or have as many elements as arr (2)",
                .at_build = false});
}

TEST(Bucketize, FindsPlacesBetweenBoundaries) {
  CheckOp({.op = "Bucketize",
           .attrs = {{"boundaries", AttrValue::Floats{0, 1, 2.5f}}},
           .inputs = {Tensor::Of<double>({NAN, INFINITY, -1, 0, 0.5, 2.5}, {2, 3})},
           .expected = {Tensor::Of<int32_t>({3, 3, 0, 1, 1, 3}, {2, 3})},
           .dtypes = DTypeSet(DType::kFloat32),
           .gradient_of = {{}}});
  CheckOp({.op = "Bucketize",
           .attrs = {{"boundaries", AttrValue::Floats{}}},
           .inputs = {Tensor::Of<int64_t>({5})},
           .expected = {Ints({0})}});
  CheckOpError({.op = "Bucketize",
                .attrs = {{"boundaries", AttrValue::Floats{1, 0}}},
                .inputs = {Tensor::Of<float>({5})},
                .text = "Expected sorted boundaries",
                .in_step = false});
}

TEST(HistogramFixedWidth, CountsInBins) {
  CheckOp({.op = "HistogramFixedWidth",
           .inputs = {Tensor::Of<double>({-1, 0, 1.5, 2, 5, 15, NAN, INFINITY}),
                      Tensor::Of<double>({0, 5}), Tensor::Scalar<int32_t>(5)},
           .constant_inputs = {2},
           .expected = {Ints({2, 1, 1, 0, 3})},
           .gradient_of = {{}}});
  CheckOp({.op = "HistogramFixedWidth",
           .attrs = {{"dtype", DType::kInt64}},
           .inputs = {Ints({-1, 0, 1, 2, 3, 4, 9}), Ints({0, 4}), Tensor::Scalar<int32_t>(3)},
           .constant_inputs = {2},
           .expected = {Tensor::Of<int64_t>({3, 1, 3})}});
}

TEST(HistogramFixedWidth, RefusesEmptyRanges) {
  CheckOpError(
      {.op = "HistogramFixedWidth",
       .inputs = {Ints({1}), Ints({5, 5}), Tensor::Scalar<int32_t>(3)},
       .text = "value_range should satisfy value_range[0] < value_range[1], but got '[5, 5]'",
       .at_build = false});
  CheckOpError({.op = "HistogramFixedWidth",
                .inputs = {Ints({1}), Ints({0, 5}), Tensor::Scalar<int32_t>(0)},
                .constant_inputs = {2},
                .text = "nbins should be a positive number, but got '0'"});
  CheckOpError({.op = "HistogramFixedWidth",
                .inputs = {Ints({1}), Ints({0, 5, 6}), Tensor::Scalar<int32_t>(1)}});
}

}  // namespace
}  // namespace headrace
