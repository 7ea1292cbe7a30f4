#include "headrace/ops/math/cumulative.h"

#include <gtest/gtest.h>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

const DTypeSet kTypes = kFloatTypes | DTypeSet{DType::kInt16, DType::kInt32, DType::kInt64};

TEST(Cumulative, ScansForwardsAndBackwards) {
  const Tensor x = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto check = [&](const char* op, bool exclusive, bool reverse, int32_t axis,
                         std::initializer_list<float> y) {
    CheckOp({.op = op,
             .attrs = {{"exclusive", exclusive}, {"reverse", reverse}},
             .inputs = {x, Tensor::Scalar(axis)},
             .constant_inputs = {1},
             .expected = {Tensor::Of<float>(y, {2, 3})},
             .dtypes = kTypes});
  };
  check("Cumsum", false, false, 1, {1, 3, 6, 4, 9, 15});
  check("Cumsum", true, false, 1, {0, 1, 3, 0, 4, 9});
  check("Cumsum", false, true, -1, {6, 5, 3, 15, 11, 6});
  check("Cumsum", true, true, 1, {5, 3, 0, 11, 6, 0});
  check("Cumsum", false, false, 0, {1, 2, 3, 5, 7, 9});
  check("Cumprod", false, false, 1, {1, 2, 6, 4, 20, 120});
  check("Cumprod", true, false, 1, {1, 1, 2, 1, 4, 20});
  check("Cumprod", false, true, 1, {6, 6, 3, 120, 30, 6});
  check("Cumprod", true, true, 1, {6, 3, 1, 30, 6, 1});
}

TEST(Cumulative, ScansManyColumns) {
  const int64_t rows = 5, columns = 1100;  // more than are scanned side by side
  const Tensor x = RandomTensor(DType::kInt32, {2, rows, columns}, -50, 50);
  for (const bool exclusive : {false, true}) {
    for (const bool reverse : {false, true}) {
      Tensor expected(DType::kInt32, x.shape());
      for (int64_t c = 0; c < 2 * columns; ++c) {
        const int64_t start = c / columns * rows * columns + c % columns;
        int32_t total = 0;
        for (int64_t k = 0; k < rows; ++k) {
          const int64_t at = start + (reverse ? rows - 1 - k : k) * columns;
          if (exclusive) expected.data<int32_t>()[at] = total;
          total += x.data<int32_t>()[at];
          if (!exclusive) expected.data<int32_t>()[at] = total;
        }
      }
      CheckOp({.op = "Cumsum",
               .attrs = {{"exclusive", exclusive}, {"reverse", reverse}},
               .inputs = {x, Tensor::Scalar<int32_t>(1)},
               .constant_inputs = {1},
               .expected = {expected}});
    }
  }
}

TEST(Cumulative, TakesEmptyAndLargeTensors) {
  for (const Shape& shape : {Shape{0, 3}, Shape{3, 0}, Shape{1, 1}, Shape{200, 300}}) {
    CheckOp({.op = "Cumsum",
             .inputs = {RandomTensor(DType::kFloat32, shape), Tensor::Scalar<int64_t>(0)},
             .constant_inputs = {1},
             .gradient_of = {{}}});
  }
}

TEST(Cumulative, RefusesBadAxes) {
  CheckOpError({.op = "Cumsum",
                .inputs = {Tensor(DType::kFloat32, {2}), Tensor::Scalar<int32_t>(1)},
                .constant_inputs = {1},
                .text = "Expected scan axis in the range [-1, 1), but got 1"});
}

}  // namespace
}  // namespace headrace
