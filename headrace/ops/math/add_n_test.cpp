#include "headrace/ops/math/add_n.h"

#include <gtest/gtest.h>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;
using testing::ToDoubles;

std::vector<Tensor> Total(const std::vector<Tensor>& in) {
  std::vector<double> sum(in[0].num_elements());
  for (const Tensor& tensor : in) {
    const std::vector<double> values = ToDoubles(tensor);
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  return {testing::FromDoubles(sum, in[0].shape())};
}

TEST(AddN, AddsAnyNumberOfTensors) {
  const DTypeSet types =
      kFloatTypes | DTypeSet{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
  std::vector<Tensor> inputs;
  for (int n = 1; n <= 9; ++n) {
    inputs.push_back(RandomTensor(DType::kFloat32, {2, 3}, -3, 3, n));
    std::vector<std::vector<Shape>> shapes;
    for (const Shape& shape : {Shape{0}, Shape(), Shape{1, 1}, Shape{9000}})
      shapes.emplace_back(n, shape);
    CheckOp({.op = "AddN",
             .inputs = inputs,
             .reference = Total,
             .tolerance = 1e-2,
             .dtypes = types,
             .shapes = shapes});
  }
}

TEST(AddN, RefusesDifferentShapes) {
  CheckOpError({.op = "AddN",
                .inputs = {Tensor(DType::kFloat32, {2}), Tensor(DType::kFloat32, {3})},
                .text = "[2]"});
}

}  // namespace
}  // namespace headrace
