// Values and gradients of TensorFlow are among the golden cases (tools/goldens/nn.py, `cells`).
#include "headrace/ops/nn/lstm_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

constexpr int64_t kTime = 3, kBatch = 2, kInputs = 3, kCell = 2;

std::vector<Tensor> Inputs(bool sequence) {
  const Shape x = sequence ? Shape({kTime, kBatch, kInputs}) : Shape({kBatch, kInputs});
  std::vector<Tensor> inputs = {
      RandomTensor(DType::kFloat32, x, -1, 1, 1),
      RandomTensor(DType::kFloat32, {kBatch, kCell}, -1, 1, 2),
      RandomTensor(DType::kFloat32, {kBatch, kCell}, -1, 1, 3),
      RandomTensor(DType::kFloat32, {kInputs + kCell, 4 * kCell}, -1, 1, 4)};
  for (uint64_t i = 5; i < 8; ++i)
    inputs.push_back(RandomTensor(DType::kFloat32, {kCell}, -1, 1, i));
  inputs.push_back(RandomTensor(DType::kFloat32, {4 * kCell}, -1, 1, 8));
  return inputs;
}

// Gradients come from cs and h alone, so that those are what the cases compute.
std::vector<Output> Build(Graph& graph, const std::vector<Output>& in, bool sequence, int64_t steps,
                          const LSTMBlockOptions& o) {
  const LSTMBlockOutputs y =
      sequence ? BlockLSTM(Const(graph, steps), in[0], in[1], in[2], in[3], in[4], in[5], in[6],
                           in[7], o)
               : LSTMBlockCell(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], o);
  return {y.cs, y.h};
}

double Sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

std::vector<Tensor> Reference(const std::vector<Tensor>& in, bool sequence, int64_t steps,
                              const LSTMBlockOptions& o) {
  std::vector<std::vector<double>> v;
  for (const Tensor& t : in) v.push_back(testing::ToDoubles(t));
  std::vector<double> cs = v[1], h = v[2], all_cs, all_h;
  for (int64_t t = 0; t < (sequence ? kTime : 1); ++t) {
    const std::vector<double> before = h;
    for (int64_t row = 0; row < kBatch && t < steps; ++row) {
      for (int64_t c = 0; c < kCell; ++c) {
        const auto gate = [&](int64_t g) {
          double sum = v[7][g * kCell + c];
          for (int64_t k = 0; k < kInputs + kCell; ++k) {
            const double from = k < kInputs ? v[0][(t * kBatch + row) * kInputs + k]
                                            : before[row * kCell + k - kInputs];
            sum += from * v[3][k * 4 * kCell + g * kCell + c];
          }
          return sum;
        };
        const auto peep = [&](int input) { return o.use_peephole ? v[input][c] : 0; };
        double& state = cs[row * kCell + c];
        const double i = Sigmoid(gate(0) + peep(4) * state);
        const double f = Sigmoid(gate(2) + o.forget_bias + peep(5) * state);
        state = i * std::tanh(gate(1)) + f * state;
        if (o.cell_clip > 0) state = std::clamp(state, -1.0 * o.cell_clip, 1.0 * o.cell_clip);
        h[row * kCell + c] = Sigmoid(gate(3) + peep(6) * state) * std::tanh(state);
      }
    }
    if (t >= steps) cs.assign(cs.size(), 0), h.assign(h.size(), 0);
    all_cs.insert(all_cs.end(), cs.begin(), cs.end());
    all_h.insert(all_h.end(), h.begin(), h.end());
  }
  const Shape shape = sequence ? Shape({kTime, kBatch, kCell}) : Shape({kBatch, kCell});
  return {testing::FromDoubles(all_cs, shape), testing::FromDoubles(all_h, shape)};
}

void Check(bool sequence, int64_t steps, const LSTMBlockOptions& o, bool gradients) {
  testing::OpCase c{
      .build = [=](Graph& g, const auto& in) { return Build(g, in, sequence, steps, o); },
      .inputs = Inputs(sequence),
      .reference = [=](const auto& in) { return Reference(in, sequence, steps, o); },
      .tolerance = 1e-5,
      .second_order = false,
      .gradient_tolerance = 2e-2,
      .gradient_dtype = DType::kFloat32,
      .gradient_step = 1e-2};
  if (!gradients) c.gradient_of = std::vector<int>{};
  CheckOp(c);
  c.inputs.clear();
  for (const Tensor& input : Inputs(sequence))
    c.inputs.push_back(testing::Converted(input, DType::kFloat16));
  c.tolerance = 0;
  c.gradient_of = std::vector<int>{};
  CheckOp(c);
}

TEST(LSTMBlockCell, MatchesReference) {
  Check(false, 1, {.cell_clip = 0}, true);
  Check(false, 1, {.forget_bias = 0.3f, .cell_clip = 0, .use_peephole = true}, true);
}

TEST(LSTMBlockCell, ClipsTheState) {
  Check(false, 1, {.cell_clip = 0.2f}, false);
}

TEST(BlockLSTM, MatchesReference) {
  Check(true, kTime, {.cell_clip = 0}, true);
  Check(true, kTime, {.forget_bias = 0.3f, .cell_clip = 0, .use_peephole = true}, true);
}

TEST(BlockLSTM, StopsAfterSomeSteps) {
  Check(true, 2, {.cell_clip = 0}, true);
  Check(true, 0, {.cell_clip = 0}, true);
}

TEST(BlockLSTM, RefusesMoreStepsThanThereAre) {
  CheckOpError({.build = [](Graph& g, const auto& in) { return Build(g, in, true, kTime + 1, {}); },
                .inputs = Inputs(true),
                .text = "seq_len_max must be in [0, 3], got 4",
                .at_build = false});
}

TEST(LSTMBlockCell, RefusesWeightsThatDoNotFit) {
  std::vector<Tensor> inputs = Inputs(false);
  inputs[3] = RandomTensor(DType::kFloat32, {kInputs, 4 * kCell});
  CheckOpError({.build = [](Graph& g, const auto& in) { return Build(g, in, false, 1, {}); },
                .inputs = inputs,
                .text = "w must have shape [5,8], got [3,8]",
                .at_build = false});
}

}  // namespace
}  // namespace headrace
