// Colours; values against TensorFlow's are in golden_test.cpp too.
#include "headrace/ops/image/colors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

TEST(RGBToHSV, IsUndoneByHSVToRGB) {
  CheckOp(
      {.build = [](Graph&,
                   const std::vector<Output>& x) { return std::vector{HSVToRGB(RGBToHSV(x[0]))}; },
       .inputs = {RandomTensor(DType::kFloat32, {4, 5, 3}, 0, 1)},
       .reference = [](const std::vector<Tensor>& in) { return in; },
       .tolerance = 1e-5,
       .dtypes = {DType::kFloat64},
       .shapes = {{{3}}, {{0, 3}}, {{2, 1, 2, 3}}},
       .gradient_of = std::vector<int>{}});
}

TEST(Adjust, MatchesReference) {
  const Tensor x = RandomTensor(DType::kFloat32, {2, 4, 5, 3}, 0, 1);
  const auto check = [&](const char* op, float by, testing::Reference reference) {
    CheckOp({.op = op,
             .inputs = {x, Tensor::Scalar<float>(by)},
             .reference = std::move(reference),
             .tolerance = 1e-5,
             .shapes = {{{1, 1, 3}, Shape()}, {{0, 2, 2, 3}, Shape()}},
             .gradient_of = std::vector<int>{}});
  };
  const testing::Reference same = [](const std::vector<Tensor>& in) { return std::vector{in[0]}; };
  check("AdjustHue", 0, same);
  check("AdjustHue", 1, same);  // a whole turn
  check("AdjustSaturation", 1, same);
  check("AdjustContrastv2", 1, same);
  // A third of a turn takes red to green, green to blue, blue to red.
  check("AdjustHue", 1.0f / 3, [](const std::vector<Tensor>& in) {
    std::vector<double> y = testing::ToDoubles(in[0]);
    for (size_t i = 0; i < y.size(); i += 3) std::rotate(&y[i], &y[i + 2], &y[i] + 3);
    return std::vector{testing::FromDoubles(y, in[0].shape())};
  });
  // Without saturation all channels are the greatest.
  check("AdjustSaturation", 0, [](const std::vector<Tensor>& in) {
    std::vector<double> y = testing::ToDoubles(in[0]);
    for (size_t i = 0; i < y.size(); i += 3)
      y[i] = y[i + 1] = y[i + 2] = std::max({y[i], y[i + 1], y[i + 2]});
    return std::vector{testing::FromDoubles(y, in[0].shape())};
  });
}

// What is no number, or no hue, comes back as such and ends.
TEST(AdjustHue, EndsWithWhatIsNoNumber) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              inf = std::numeric_limits<float>::infinity();
  for (const float delta : {nan, inf, -inf, 1e30f, -1e30f}) {
    Graph g;
    const Output x = testing::FedTensor(g, DType::kFloat32, {1, 2, 3}, "x");
    const Output d = testing::FedTensor(g, DType::kFloat32, Shape(), "d");
    testing::GraphRunner runner;
    const auto y = runner.Run({AdjustHue(x, d), AdjustSaturation(x, d)},
                              {{x, Tensor::Of<float>({nan, inf, 0, 0.1f, 0.2f, 0.3f}, {1, 2, 3})},
                               {d, Tensor::Scalar<float>(delta)}});
    EXPECT_TRUE(y.ok()) << y.status();
  }
}

TEST(Colors, RefuseWrongArguments) {
  for (const char* op : {"RGBToHSV", "HSVToRGB"}) {
    CheckOpError({.op = op,
                  .inputs = {RandomTensor(DType::kFloat32, {2, 4})},
                  .text = "must have 3 channels but instead has 4"});
    CheckOpError({.op = op, .inputs = {RandomTensor(DType::kFloat32, Shape())}, .text = ""});
  }
  const Tensor one = Tensor::Scalar<float>(1);
  for (const char* op : {"AdjustHue", "AdjustSaturation"}) {
    CheckOpError({.op = op,
                  .inputs = {RandomTensor(DType::kFloat32, {2, 2, 4}), one},
                  .text = "must have 3 channels but instead has 4"});
  }
  for (const char* op : {"AdjustHue", "AdjustSaturation", "AdjustContrastv2"}) {
    CheckOpError({.op = op, .inputs = {RandomTensor(DType::kFloat32, {2, 3}), one}, .text = "3"});
    CheckOpError({.op = op,
                  .inputs = {RandomTensor(DType::kFloat32, {2, 2, 3}), Tensor::Of<float>({1, 2})},
                  .text = "scalar"});
  }
}

}  // namespace
}  // namespace headrace
