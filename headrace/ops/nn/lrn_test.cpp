#include "headrace/ops/nn/lrn.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/graph/grad_context.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::RandomTensor;

TEST(LRN, MatchesReference) {
  for (const LRNOptions& o :
       {LRNOptions{}, LRNOptions{.depth_radius = 1, .bias = 2, .alpha = 0.5f, .beta = 0.75f},
        LRNOptions{.depth_radius = 2, .beta = 1.3f}, LRNOptions{.depth_radius = 0}}) {
    const auto reference = [&](const std::vector<Tensor>& in) {
      const std::vector<double> x = testing::ToDoubles(in[0]);
      std::vector<double> y(x.size());
      const int64_t n = in[0].dim(3);
      for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
        double sum = 0;
        for (int64_t k = std::max<int64_t>(0, i % n - o.depth_radius);
             k <= std::min(n - 1, i % n + o.depth_radius); ++k) {
          sum += x[i - i % n + k] * x[i - i % n + k];
        }
        y[i] = x[i] / std::pow(o.bias + o.alpha * sum, o.beta);
      }
      return std::vector{testing::FromDoubles(y, in[0].shape())};
    };
    CheckOp({.op = "LRN",
             .attrs = {{"depth_radius", o.depth_radius},
                       {"bias", o.bias},
                       {"alpha", o.alpha},
                       {"beta", o.beta}},
             .inputs = {RandomTensor(DType::kFloat32, {2, 2, 3, 7})},
             .reference = reference,
             .dtypes = DTypeSet{DType::kFloat16, DType::kFloat32},
             .shapes = {{{0, 2, 2, 3}}, {{1, 1, 1, 1}}, {{2, 8, 8, 50}}},
             .second_order = false,
             .gradient_tolerance = 2e-2,
             .gradient_dtype = DType::kFloat32,
             .gradient_step = 1e-2});
  }
}

TEST(LRN, RefusesOtherRanks) {
  testing::CheckOpError({.op = "LRN", .inputs = {RandomTensor(DType::kFloat32, {2, 3})}});
}

}  // namespace
}  // namespace headrace
