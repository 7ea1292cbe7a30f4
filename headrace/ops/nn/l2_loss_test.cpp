#include "headrace/ops/nn/l2_loss.h"

#include <gtest/gtest.h>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

TEST(L2Loss, MatchesReference) {
  const auto reference = [](const std::vector<Tensor>& in) {
    double sum = 0;
    for (const double v : testing::ToDoubles(in[0])) sum += v * v;
    return std::vector{Tensor::Scalar<double>(sum / 2)};
  };
  testing::CheckOp({.op = "L2Loss",
                    .inputs = {testing::RandomTensor(DType::kFloat32, {3, 4})},
                    .reference = reference,
                    .dtypes = DTypeSet{DType::kFloat16, DType::kFloat32, DType::kFloat64},
                    .shapes = {{{0}}, {Shape()}, {{1, 1}}, {{31}}, {{784, 50}}, {{100, 999}}}});
}

}  // namespace
}  // namespace headrace
