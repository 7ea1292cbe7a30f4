// Values and gradients against TensorFlow's are in golden_test.cpp; here is the rest of what holds.
#include "headrace/ops/nn/fake_quant.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

// The levels of a range that holds 0 in its midst, by the definition.
double Quantized(double x, double min, double max, int levels) {
  const double scale = (max - min) / levels;
  const double low = -std::round(-min / scale) * scale, high = low + levels * scale;
  return std::floor((std::clamp(x, low, high) - low) / scale + 0.5) * scale + low;
}

TEST(FakeQuant, MatchesReference) {
  const Tensor x = RandomTensor(DType::kFloat32, {3, 7}, -5, 5);
  CheckOp({.op = "FakeQuantWithMinMaxArgs",
           .attrs = {{"min", -2.0f}, {"max", 3.0f}, {"num_bits", int64_t{4}}},
           .inputs = {x},
           .reference = testing::Elementwise([](double v) { return Quantized(v, -2, 3, 15); }),
           .shapes = {{{0, 3}}, {{1, 1}}, {Shape()}},
           .gradient_of = std::vector<int>{}});
  const auto vars = [](const std::vector<Tensor>& in) {
    const std::vector<double> v = testing::ToDoubles(in[0]), low = testing::ToDoubles(in[1]),
                              high = testing::ToDoubles(in[2]);
    std::vector<double> y(v.size());
    for (size_t i = 0; i < v.size(); ++i)
      y[i] = Quantized(v[i], low[i % low.size()], high[i % low.size()], 255);
    return std::vector{testing::FromDoubles(y, in[0].shape())};
  };
  CheckOp({.op = "FakeQuantWithMinMaxVars",
           .inputs = {x, Tensor::Of<float>({-4}, Shape()), Tensor::Of<float>({2}, Shape())},
           .reference = vars,
           .gradient_of = std::vector<int>{}});
  CheckOp({.op = "FakeQuantWithMinMaxVarsPerChannel",
           .inputs = {x, Tensor::Of<float>({-1, -2, -3, -4, -5, -6, -7}),
                      Tensor::Of<float>({7, 6, 5, 4, 3, 2, 1})},
           .reference = vars,
           .gradient_of = std::vector<int>{}});
}

TEST(FakeQuantGradient, GoesThroughWithinTheRange) {
  const Tensor x = Tensor::Of<float>({-9, -1, 0, 2, 8}), g = Tensor::Of<float>({1, 2, 4, 8, 16});
  CheckOp({.op = "FakeQuantWithMinMaxArgsGradient",
           .attrs = {{"min", -4.0f}, {"max", 4.0f}},
           .inputs = {g, x},
           .expected = {Tensor::Of<float>({0, 2, 4, 8, 0})},
           .gradient_of = std::vector<int>{}});
  CheckOp({.op = "FakeQuantWithMinMaxVarsGradient",
           .inputs = {g, x, Tensor::Of<float>({-4}, Shape()), Tensor::Of<float>({4}, Shape())},
           .expected = {Tensor::Of<float>({0, 2, 4, 8, 0}), Tensor::Of<float>({1}, Shape()),
                        Tensor::Of<float>({16}, Shape())},
           .gradient_of = std::vector<int>{}});
}

TEST(FakeQuant, RefusesWrongArguments) {
  const Tensor x = RandomTensor(DType::kFloat32, {2, 3});
  const auto args = [&](AttrMap attrs, const char* text) {
    CheckOpError({.op = "FakeQuantWithMinMaxArgs",
                  .attrs = std::move(attrs),
                  .inputs = {x},
                  .text = text,
                  .at_build = false});
  };
  args({{"num_bits", int64_t{1}}}, "num_bits must be between 2 and 16, inclusive, got 1");
  args({{"num_bits", int64_t{17}}}, "num_bits must be between 2 and 16");
  args({{"min", 2.0f}, {"max", 2.0f}}, "min has to be smaller than max");
  CheckOpError({.op = "FakeQuantWithMinMaxVarsPerChannel",
                .inputs = {x, Tensor::Of<float>({1, 2}), Tensor::Of<float>({1, 2})}});
  CheckOpError({.op = "FakeQuantWithMinMaxVars",
                .inputs = {x, Tensor::Of<float>({1, 2}), Tensor::Of<float>({1, 2})}});
}

TEST(QuantizeAndDequantize, MatchesReference) {
  const Tensor x = Tensor::Of<float>({-1, -0.5, 0, 0.3, 0.8});
  // The range of the input, [-1, 0.8]: the scale is 4 for levels from -4 to 3.
  CheckOp({.op = "QuantizeAndDequantizeV2",
           .attrs = {{"num_bits", int64_t{3}}},
           .inputs = {x, Tensor::Of<float>({0}, Shape()), Tensor::Of<float>({0}, Shape())},
           .expected = {Tensor::Of<float>({-1.0667f, -0.5333f, 0, 0.2667f, 0.8f})},
           .tolerance = 1e-4,
           .gradient_of = std::vector<int>{}});
  CheckOp({.op = "QuantizeAndDequantize",
           .attrs = {{"num_bits", int64_t{3}},
                     {"range_given", true},
                     {"input_min", -4.0f},
                     {"input_max", 3.0f}},
           .inputs = {Tensor::Of<double>({-9, -1.5, 0.5, 2.4, 7})},
           .expected = {Tensor::Of<double>({-4, -2, 0, 2, 3})},
           .gradient_of = std::vector<int>{}});
  CheckOp(
      {.op = "QuantizeAndDequantizeV3",
       .inputs = {Tensor::Of<double>({-9, -1.5, 0.5, 2.4, 7}), Tensor::Of<double>({-4}, Shape()),
                  Tensor::Of<double>({3}, Shape()), Tensor::Of<int32_t>({3}, Shape())},
       .expected = {Tensor::Of<double>({-4, -2, 0, 2, 3})},
       .gradient_of = std::vector<int>{}});
}

TEST(QuantizeAndDequantize, RefusesWrongArguments) {
  const auto check = [](int64_t bits, float low, float high, const char* text) {
    CheckOpError({.op = "QuantizeAndDequantizeV2",
                  .attrs = {{"num_bits", bits}, {"range_given", true}},
                  .inputs = {Tensor::Of<float>({1}), Tensor::Of<float>({low}, Shape()),
                             Tensor::Of<float>({high}, Shape())},
                  .text = text,
                  .at_build = false});
  };
  check(0, 0, 1, "num_bits is out of range: 0 with signed_input true");
  check(63, 0, 1, "num_bits is out of range: 63");
  check(8, 2, 1, "Invalid range: input_min 2 > input_max 1");
}

}  // namespace
}  // namespace headrace
