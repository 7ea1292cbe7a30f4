// Values and gradients of TensorFlow are among the golden cases (tools/goldens/nn.py, `cells`).
#include "headrace/ops/nn/gru_block.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::RandomTensor;

constexpr int64_t kBatch = 2, kInputs = 3, kCell = 2;

std::vector<Tensor> Inputs() {
  const int64_t rows = kInputs + kCell;
  return {RandomTensor(DType::kFloat32, {kBatch, kInputs}, -1, 1, 1),
          RandomTensor(DType::kFloat32, {kBatch, kCell}, -1, 1, 2),
          RandomTensor(DType::kFloat32, {rows, 2 * kCell}, -1, 1, 3),
          RandomTensor(DType::kFloat32, {rows, kCell}, -1, 1, 4),
          RandomTensor(DType::kFloat32, {2 * kCell}, -1, 1, 5),
          RandomTensor(DType::kFloat32, {kCell}, -1, 1, 6)};
}

// Gradients come from h alone.
std::vector<Output> Build(Graph&, const std::vector<Output>& in) {
  return {GRUBlockCell(in[0], in[1], in[2], in[3], in[4], in[5]).h};
}

std::vector<Tensor> Reference(const std::vector<Tensor>& in) {
  std::vector<std::vector<double>> v;
  for (const Tensor& t : in) v.push_back(testing::ToDoubles(t));
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  std::vector<double> h = v[1];
  for (int64_t row = 0; row < kBatch; ++row) {
    std::vector<double> joined(v[0].begin() + row * kInputs, v[0].begin() + (row + 1) * kInputs);
    joined.insert(joined.end(), v[1].begin() + row * kCell, v[1].begin() + (row + 1) * kCell);
    const auto product = [&](int w, int b, int64_t columns, int64_t c) {
      double sum = v[b][c];
      for (int64_t k = 0; k < kInputs + kCell; ++k) sum += joined[k] * v[w][k * columns + c];
      return sum;
    };
    std::vector<double> u(kCell), reset(kCell);
    for (int64_t c = 0; c < kCell; ++c) {
      reset[c] = joined[kInputs + c] * sigmoid(product(2, 4, 2 * kCell, c));
      u[c] = sigmoid(product(2, 4, 2 * kCell, kCell + c));
    }
    for (int64_t c = 0; c < kCell; ++c) joined[kInputs + c] = reset[c];
    for (int64_t c = 0; c < kCell; ++c) {
      double& state = h[row * kCell + c];
      state = u[c] * state + (1 - u[c]) * std::tanh(product(3, 5, kCell, c));
    }
  }
  return {testing::FromDoubles(h, in[1].shape())};
}

TEST(GRUBlockCell, MatchesReference) {
  testing::CheckOp({.build = Build,
                    .inputs = Inputs(),
                    .reference = Reference,
                    .tolerance = 1e-5,
                    .second_order = false,
                    .gradient_tolerance = 2e-2,
                    .gradient_dtype = DType::kFloat32,
                    .gradient_step = 1e-2});
}

TEST(GRUBlockCell, RefusesWeightsThatDoNotFit) {
  std::vector<Tensor> inputs = Inputs();
  inputs[3] = RandomTensor(DType::kFloat32, {kInputs, kCell});
  testing::CheckOpError({.build = Build,
                         .inputs = inputs,
                         .text = "w_c must have shape [5,2], got [3,2]",
                         .at_build = false});
}

}  // namespace
}  // namespace headrace
