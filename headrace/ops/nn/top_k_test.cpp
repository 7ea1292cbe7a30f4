#include "headrace/ops/nn/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

std::vector<Tensor> TopKReference(const std::vector<Tensor>& in) {
  const std::vector<double> x = testing::ToDoubles(in[0]);
  const int64_t n = in[0].dim(in[0].rank() - 1),
                k = static_cast<int64_t>(testing::ToDoubles(in[1])[0]);
  std::vector<double> values, indices;
  for (size_t r = 0; n > 0 && r + n <= x.size(); r += n) {
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return x[r + a] > x[r + b]; });
    for (int64_t i = 0; i < k; ++i) {
      values.push_back(x[r + order[i]]);
      indices.push_back(static_cast<double>(order[i]));
    }
  }
  Shape shape = in[0].shape();
  shape.set_dim(shape.rank() - 1, k);
  return {testing::FromDoubles(values, shape), testing::FromDoubles(indices, shape)};
}

TEST(TopK, MatchesReference) {
  for (int32_t k : {0, 1, 3, 7}) {
    CheckOp({.op = "TopKV2",
             .inputs = {RandomTensor(DType::kFloat32, {4, 7}, -9, 9), Tensor::Scalar<int32_t>(k)},
             .constant_inputs = {1},
             .reference = TopKReference,
             .dtypes = kFloatTypes | DTypeSet{DType::kInt8, DType::kInt16, DType::kInt32,
                                              DType::kInt64, DType::kUInt8},
             .shapes = {{{9}, Shape()}, {{2, 3, 8}, Shape()}, {{0, 7}, Shape()}},
             .gradient_of = k == 0 ? std::vector<int>{} : std::vector<int>{0}});
  }
  CheckOp({.op = "TopK",
           .attrs = {{"k", 2}},
           .inputs = {RandomTensor(DType::kFloat32, {4, 7})},
           .reference = [](const std::vector<Tensor>& in) {
             return TopKReference({in[0], Tensor::Scalar<int32_t>(2)});
           }});
}

TEST(TopK, TiesTakeTheLowerIndexAndNanIsLargest) {
  Graph g;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const auto indices = [&](std::initializer_list<float> row, int k, bool sorted = true) {
    const Tensor t = testing::Evaluate(TopK(Const(g, row), k, {.sorted = sorted}).indices);
    return std::vector<int32_t>(t.flat<int32_t>().begin(), t.flat<int32_t>().end());
  };
  EXPECT_EQ(indices({1, 3, 3, 2}, 3), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(indices({5, 5, 5, 5}, 1), (std::vector<int32_t>{0}));
  EXPECT_EQ(indices({0, -0.0f, -1, 2}, 3), (std::vector<int32_t>{3, 0, 1}));
  EXPECT_EQ(indices({1, kNan, 3, kNan}, 3), (std::vector<int32_t>{1, 3, 2}));
  std::vector<int32_t> unsorted = indices({5, 8, 5, 0, 0, 1, 7, 6, 2}, 4, false);
  std::sort(unsorted.begin(), unsorted.end());
  EXPECT_EQ(unsorted, (std::vector<int32_t>{0, 1, 6, 7}));
}

TEST(TopK, RefusesWrongArguments) {
  const auto check = [](const Shape& shape, Tensor k, const char* text) {
    CheckOpError({.op = "TopKV2",
                  .inputs = {RandomTensor(DType::kFloat32, shape), std::move(k)},
                  .constant_inputs = {1},
                  .text = text});
  };
  check({5, 3}, Tensor::Scalar<int32_t>(4), "input must have at least k columns. Had 3, needed 4");
  check({5, 3}, Tensor::Scalar<int32_t>(-1), "Need k >= 0, got -1");
  check(Shape(), Tensor::Scalar<int32_t>(1), "");
  check({5, 3}, Tensor::Of<int32_t>({1}), "");
}

TEST(InTopK, TiesCountAsInAndNanAsOut) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  Graph g;
  const Output predictions = Const(g, {{1.0f, 3.0f, 3.0f, 2.0f},
                                       {5.0f, 5.0f, 5.0f, 5.0f},
                                       {kNan, 1.0f, 2.0f, 3.0f},
                                       {1.0f, kNan, 2.0f, 3.0f},
                                       {kInf, 1.0f, 2.0f, 3.0f},
                                       {1.0f, 2.0f, 3.0f, 4.0f}});
  const Output targets = Const(g, {1, 3, 1, 1, 0, 9});
  const auto run = [&](int k) {
    const Tensor t = testing::Evaluate(InTopK(predictions, targets, k));
    return std::vector<bool>(t.flat<bool>().begin(), t.flat<bool>().end());
  };
  EXPECT_EQ(run(1), (std::vector<bool>{true, true, false, false, false, false}));
  EXPECT_EQ(run(3), (std::vector<bool>{true, true, false, false, false, false}));
}

TEST(InTopK, MatchesReference) {
  const auto reference = [](const std::vector<Tensor>& in) {
    const std::vector<double> x = testing::ToDoubles(in[0]), targets = testing::ToDoubles(in[1]);
    const int64_t classes = in[0].dim(1);
    std::vector<double> result;
    for (size_t r = 0; r < targets.size(); ++r) {
      double larger = 0;
      for (int64_t c = 0; c < classes; ++c)
        larger += x[r * classes + c] > x[r * classes + static_cast<int64_t>(targets[r])];
      result.push_back(larger < testing::ToDoubles(in[2])[0]);
    }
    return std::vector{testing::FromDoubles(result, in[1].shape(), DType::kBool)};
  };
  CheckOp({.op = "InTopKV2",
           .inputs = {RandomTensor(DType::kFloat32, {3, 5}), Tensor::Of<int64_t>({0, 4, 2}),
                      Tensor::Scalar<int64_t>(2)},
           .reference = reference});
  CheckOpError({.op = "InTopK",
                .attrs = {{"k", 1}},
                .inputs = {RandomTensor(DType::kFloat32, {3, 5}), Tensor::Of<int32_t>({0})}});
  CheckOpError({.op = "InTopK",
                .attrs = {{"k", 1}},
                .inputs = {RandomTensor(DType::kFloat32, {5}), Tensor::Of<int32_t>({0})}});
}

}  // namespace
}  // namespace headrace
