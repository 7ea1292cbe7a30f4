#include "headrace/ops/nn/batch_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/graph/gradients.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

constexpr double kEpsilon = 0.001;

// y, mean and variance (for the user) of rows of channels, in double.
testing::Reference BatchNormReference(bool training, bool nchw) {
  return [=](const std::vector<Tensor>& in) {
    const Shape& s = in[0].shape();
    std::vector<double> x = testing::ToDoubles(in[0]);
    const std::vector<double> scale = testing::ToDoubles(in[1]), offset = testing::ToDoubles(in[2]);
    const int64_t channels = s[nchw ? 1 : 3], inner = nchw ? s[2] * s[3] : 1;
    const auto channel = [&](size_t i) { return static_cast<int64_t>(i) / inner % channels; };
    const double count = static_cast<double>(s.num_elements() / std::max<int64_t>(1, channels));
    std::vector<double> mean(channels), variance(channels);
    if (training) {
      for (size_t i = 0; i < x.size(); ++i) mean[channel(i)] += x[i] / count;
      for (size_t i = 0; i < x.size(); ++i)
        variance[channel(i)] += (x[i] - mean[channel(i)]) * (x[i] - mean[channel(i)]) / count;
    } else {
      mean = testing::ToDoubles(in[3]);
      variance = testing::ToDoubles(in[4]);
    }
    for (size_t i = 0; i < x.size(); ++i) {
      const int64_t c = channel(i);
      x[i] = (x[i] - mean[c]) / std::sqrt(variance[c] + kEpsilon) * scale[c] + offset[c];
    }
    if (training) {
      for (double& v : variance) v *= count / std::max(1.0, count - 1);
    }
    return std::vector{testing::FromDoubles(x, s), testing::FromDoubles(mean, {channels}),
                       testing::FromDoubles(variance, {channels})};
  };
}

std::vector<Tensor> Inputs(const Shape& shape, int64_t channels, bool training) {
  const Shape vector{channels}, statistics{training ? 0 : channels};
  return {RandomTensor(DType::kFloat32, shape, -2, 3),
          RandomTensor(DType::kFloat32, vector, 0.5, 2, 2),
          RandomTensor(DType::kFloat32, vector, -1, 1, 3),
          RandomTensor(DType::kFloat32, statistics, -1, 1, 4),
          RandomTensor(DType::kFloat32, statistics, 0.5, 2, 5)};
}

// float32 only, so gradients are checked by differences in float32.
TEST(FusedBatchNorm, MatchesReference) {
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    for (const bool training : {true, false}) {
      for (const bool nchw : {false, true}) {
        const AttrMap attrs{{"epsilon", static_cast<float>(kEpsilon)},
                            {"is_training", training},
                            {"data_format", nchw ? "NCHW" : "NHWC"}};
        for (const auto& [shape, channels] : {std::pair<Shape, int64_t>{{3, 2, 4, 5}, nchw ? 2 : 5},
                                              {{10, 7, 9, 40}, nchw ? 7 : 40}}) {
          CheckOp({.op = op,
                   .attrs = attrs,
                   .inputs = Inputs(shape, channels, training),
                   .reference = BatchNormReference(training, nchw),
                   .tolerance = 1e-4,
                   .gradient_of = std::vector<int>{}});
        }
      }
    }
  }
}

// The gradient op against the gradient of the same computation from other ops.
TEST(FusedBatchNormGrad, MatchesCompositeOnce) {
  for (const bool training : {true, false}) {
    Graph g;
    const std::vector<Tensor> values = Inputs({4, 3, 3, 6}, 6, training);
    std::vector<Output> in;
    testing::Feeds feeds;
    for (size_t i = 0; i < values.size(); ++i) {
      in.push_back(testing::FedTensor(g, DType::kFloat32, values[i].shape(), StrCat("x", i)));
      feeds[in.back()] = values[i];
    }
    const Output weight = testing::FedTensor(g, DType::kFloat32, {4, 3, 3, 6}, "weight");
    feeds[weight] = RandomTensor(DType::kFloat32, {4, 3, 3, 6}, -1, 1, 9);
    const FusedBatchNormOptions o{.epsilon = static_cast<float>(kEpsilon)};
    const Output fused = training ? FusedBatchNorm(in[0], in[1], in[2], o).y
                                  : FusedBatchNorm(in[0], in[1], in[2], in[3], in[4], o).y;
    const MomentsOutputs m = training ? Moments(in[0], {0, 1, 2}) : MomentsOutputs{in[3], in[4]};
    const Output composite =
        BatchNormalization(in[0], m.mean, m.variance, in[2], in[1], static_cast<float>(kEpsilon));
    const std::vector<Output> xs(in.begin(), in.begin() + 3);
    std::vector<Output> results;
    for (const Output& y : {fused, composite}) {
      for (const Gradient& grad : Gradients(y, xs, {.grad_ys = {weight}}))
        results.push_back(grad.Dense());
      // The second gradient, by way of the first.
      for (const Gradient& grad :
           Gradients(results[results.size() - 3], xs, {.grad_ys = {weight}})) {
        results.push_back(grad.connected() ? grad.Dense() : Zeros(g, {1}));
      }
    }
    ASSERT_TRUE(g.status().ok()) << g.status();
    const std::vector<Tensor> values_of = testing::Evaluate(results, feeds);
    for (size_t i = 0; i < 6; ++i) {
      // The first gradient does not depend on the offset, and with given statistics not on x.
      if (values_of[i + 6].shape() == Shape{1}) {
        for (const double v : testing::ToDoubles(values_of[i])) EXPECT_EQ(v, 0) << "gradient " << i;
        continue;
      }
      EXPECT_EQ(testing::Difference(values_of[i], values_of[i + 6], 2e-3), "")
          << "gradient " << i << (training ? " training" : "");
    }
  }
}

TEST(FusedBatchNorm, Half) {
  std::vector<Tensor> in = Inputs({3, 4, 4, 8}, 8, true);
  in[0] = RandomTensor(DType::kFloat16, {3, 4, 4, 8});
  CheckOp({.op = "FusedBatchNormV2",
           .attrs = {{"epsilon", static_cast<float>(kEpsilon)}},
           .inputs = in,
           .reference = BatchNormReference(true, false),
           .tolerance = 5e-3,
           .gradient_of = std::vector<int>{}});
}

TEST(FusedBatchNorm, OneRowHasNoVariance) {
  const std::vector<Tensor> in = Inputs({1, 1, 1, 3}, 3, true);
  CheckOp({.op = "FusedBatchNorm",
           .attrs = {{"epsilon", static_cast<float>(kEpsilon)}},
           .inputs = in,
           .expected = {in[2].Reshaped({1, 1, 1, 3}), in[0].Reshaped({3}),
                        Tensor::Of<float>({0, 0, 0})},
           .tolerance = 1e-5,
           .gradient_of = std::vector<int>{}});
}

TEST(FusedBatchNorm, RefusesWrongShapes) {
  const auto check = [](std::vector<Tensor> in, bool training) {
    CheckOpError(
        {.op = "FusedBatchNormV3", .attrs = {{"is_training", training}}, .inputs = std::move(in)});
  };
  std::vector<Tensor> in = Inputs({2, 3, 3, 4}, 4, true);
  in[1] = RandomTensor(DType::kFloat32, {3});
  check(in, true);
  in = Inputs({2, 3, 3, 4}, 4, true);
  in[0] = RandomTensor(DType::kFloat32, {5, 4});
  check(in, true);
  check(Inputs({2, 3, 3, 4}, 4, /*training=*/true), /*training=*/false);  // no statistics given
}

TEST(Moments, MatchesReference) {
  const auto reference = [](const std::vector<Tensor>& in) {
    const std::vector<double> x = testing::ToDoubles(in[0]);
    double mean = 0, variance = 0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
    return std::vector{Tensor::Scalar<double>(mean), Tensor::Scalar<double>(variance)};
  };
  CheckOp({.build =
               [](Graph&, const std::vector<Output>& in) {
                 const MomentsOutputs m = Moments(in[0], {0, 1});
                 return std::vector<Output>{m.mean, m.variance};
               },
           .inputs = {RandomTensor(DType::kFloat32, {3, 4})},
           .reference = reference,
           .dtypes = DTypeSet{DType::kFloat16, DType::kFloat64},
           .second_order = false});  // the mean within the variance is a constant, as in TensorFlow
}

}  // namespace
}  // namespace headrace
