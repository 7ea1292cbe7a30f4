#include "headrace/ops/nn/batch_norm_global.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

constexpr float kEpsilon = 0.01f;

std::vector<Tensor> Reference(const std::vector<Tensor>& in, bool scaled) {
  std::vector<std::vector<double>> v;
  for (const Tensor& t : in) v.push_back(testing::ToDoubles(t));
  std::vector<double> y(v[0].size());
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t c = i % v[1].size();
    y[i] = (v[0][i] - v[1][c]) / std::sqrt(v[2][c] + kEpsilon) * (scaled ? v[4][c] : 1) + v[3][c];
  }
  return {testing::FromDoubles(y, in[0].shape())};
}

TEST(BatchNormWithGlobalNormalization, MatchesReference) {
  for (const bool scaled : {true, false}) {
    CheckOp(
        {.op = "BatchNormWithGlobalNormalization",
         .attrs = {{"variance_epsilon", kEpsilon}, {"scale_after_normalization", scaled}},
         .inputs = {RandomTensor(DType::kFloat64, {2, 3, 2, 4}), RandomTensor(DType::kFloat64, {4}),
                    RandomTensor(DType::kFloat64, {4}, 0.5, 2), RandomTensor(DType::kFloat64, {4}),
                    RandomTensor(DType::kFloat64, {4})},
         .reference = [=](const auto& in) { return Reference(in, scaled); },
         .dtypes = DTypeSet{DType::kFloat16, DType::kFloat32},
         .shapes = {{{0, 2, 2, 3}, {3}, {3}, {3}, {3}},
                    {{1, 1, 1, 1}, {1}, {1}, {1}, {1}},
                    {{3, 20, 20, 2}, {2}, {2}, {2}, {2}}},
         .second_order = false});
  }
}

TEST(BatchNormWithGlobalNormalization, RefusesVectorsThatDoNotFit) {
  const Tensor vector = RandomTensor(DType::kFloat32, {3});
  CheckOpError(
      {.op = "BatchNormWithGlobalNormalization",
       .attrs = {{"variance_epsilon", kEpsilon}, {"scale_after_normalization", true}},
       .inputs = {RandomTensor(DType::kFloat32, {1, 2, 2, 4}), vector, vector, vector, vector}});
}

}  // namespace
}  // namespace headrace
