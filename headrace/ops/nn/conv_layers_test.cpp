// Builder functions against the nodes that TensorFlow's Python functions make
// (tests/golden/ops/nn.json, whose values golden_test.cpp compares).
#include "headrace/ops/nn/conv_layers.h"

#include <gtest/gtest.h>

#include "headrace/ops/array/transpose.h"
#include "headrace/ops/testing/golden_nodes.h"
#include "headrace/ops/testing/graph_runner.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::ExpectNodesOf;
using Inputs = std::vector<Output>;

TEST(Conv1D, BuildsTensorFlowsNodes) {
  ExpectNodesOf("nn", "build_conv1d:nwc",
                [](Graph&, const Inputs& x) { Conv1D(x[0], x[1], {.stride = 2}); });
  ExpectNodesOf("nn", "build_conv1d:dilated", [](Graph&, const Inputs& x) {
    Conv1D(x[0], x[1], {.padding = "VALID", .dilation = 2});
  });
}

TEST(Conv1D, TakesBothLayouts) {
  Graph g;
  const Tensor sequences = testing::RandomTensor(DType::kFloat32, {2, 7, 3}),
               filters = testing::RandomTensor(DType::kFloat32, {3, 3, 4}, -1, 1, 2);
  const Output x = testing::FedTensor(g, DType::kFloat32, {2, 7, 3}, "x"),
               f = testing::FedTensor(g, DType::kFloat32, {3, 3, 4}, "f");
  const Output last = Conv1D(x, f, {.stride = 2});
  const Output first = Conv1D(Transpose(x, {0, 2, 1}), f, {.stride = 2, .data_format = "NCW"});
  const std::vector<Tensor> values =
      testing::Evaluate({last, Transpose(first, {0, 2, 1})}, {{x, sequences}, {f, filters}});
  EXPECT_EQ(testing::Difference(values[1], values[0], 1e-6), "");
}

TEST(ConvTranspose, BuildsTensorFlowsNodes) {
  ExpectNodesOf("nn", "build_conv2d_transpose:constant", [](Graph&, const Inputs& x) {
    Conv2DTranspose(x[0], x[1], {2, 6, 8, 3}, {.strides = {1, 2, 2, 1}});
  });
  ExpectNodesOf("nn", "build_conv2d_transpose:tensor", [](Graph&, const Inputs& x) {
    Conv2DTranspose(x[0], x[1], x[2], {.strides = {1, 2, 2, 1}, .padding = "VALID", .name = "up"});
  });
  ExpectNodesOf("nn", "build_conv3d_transpose:constant", [](Graph&, const Inputs& x) {
    Conv3DTranspose(x[0], x[1], {1, 4, 4, 6, 2}, {.strides = {1, 2, 2, 2, 1}});
  });
}

TEST(SeparableConv2D, BuildsTensorFlowsNodes) {
  ExpectNodesOf("nn", "build_separable_conv2d:plain", [](Graph&, const Inputs& x) {
    SeparableConv2D(x[0], x[1], x[2], {.strides = {1, 2, 2, 1}});
  });
  ExpectNodesOf("nn", "build_separable_conv2d:rate", [](Graph&, const Inputs& x) {
    SeparableConv2D(x[0], x[1], x[2], {.padding = "VALID", .rate = {2, 1}, .name = "s"});
  });
  ExpectNodesOf("nn", "build_separable_conv2d:rate_same", [](Graph&, const Inputs& x) {
    SeparableConv2D(x[0], x[1], x[2], {.rate = {2, 3}});
  });
}

TEST(AtrousConv2D, BuildsTensorFlowsNodes) {
  ExpectNodesOf("nn", "build_atrous_conv2d:same",
                [](Graph&, const Inputs& x) { AtrousConv2D(x[0], x[1], {.rate = 2}); });
  ExpectNodesOf("nn", "build_atrous_conv2d:valid", [](Graph&, const Inputs& x) {
    AtrousConv2D(x[0], x[1], {.rate = 3, .padding = "VALID"});
  });
  ExpectNodesOf("nn", "build_atrous_conv2d:rate_1",
                [](Graph&, const Inputs& x) { AtrousConv2D(x[0], x[1], {}); });
}

// With sizes that are not known, the result is the same.
TEST(AtrousConv2D, OfImagesOfAnySize) {
  Graph g;
  const Tensor images = testing::RandomTensor(DType::kFloat32, {2, 7, 6, 3}),
               filter = testing::RandomTensor(DType::kFloat32, {3, 2, 3, 4}, -1, 1, 2),
               depthwise = testing::RandomTensor(DType::kFloat32, {3, 3, 3, 2}, -1, 1, 3),
               pointwise = testing::RandomTensor(DType::kFloat32, {1, 1, 6, 2}, -1, 1, 4);
  const auto fed = [&](const Tensor& t, const char* name, bool known) {
    return testing::FedTensor(
        g, t.dtype(), known ? PartialShape(t.shape()) : PartialShape::OfRank(t.rank()), name);
  };
  std::vector<Output> results;
  testing::Feeds feeds;
  for (const bool known : {true, false}) {
    const std::string suffix = known ? "" : "_any";
    const Output x = fed(images, ("x" + suffix).c_str(), known),
                 f = fed(filter, ("f" + suffix).c_str(), true),
                 d = fed(depthwise, ("d" + suffix).c_str(), true),
                 p = fed(pointwise, ("p" + suffix).c_str(), true);
    feeds.insert({{x, images}, {f, filter}, {d, depthwise}, {p, pointwise}});
    for (const char* padding : {"SAME", "VALID"}) {
      results.push_back(AtrousConv2D(x, f, {.rate = 2, .padding = padding}));
      results.push_back(SeparableConv2D(x, d, p, {.padding = padding, .rate = {1, 2}}));
    }
  }
  ASSERT_TRUE(g.status().ok()) << g.status();
  const std::vector<Tensor> values = testing::Evaluate(results, feeds);
  ASSERT_EQ(values.size(), 8u);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(testing::Difference(values[i + 4], values[i], 1e-5), "") << i;
}

TEST(ConvLayers, RefuseWrongArguments) {
  const auto fails = [](auto build, const char* text) {
    Graph g;
    const Output x = testing::FedTensor(g, DType::kFloat32, {1, 5, 5, 2}, "x");
    build(g, x);
    EXPECT_FALSE(g.status().ok()) << text;
    EXPECT_NE(g.status().message().find(text), std::string::npos) << g.status();
  };
  const auto filter = [](Graph& g, const Shape& shape) {
    return testing::FedTensor(g, DType::kFloat32, shape, "f");
  };
  fails(
      [&](Graph& g, Output x) {
        AtrousConv2D(x, filter(g, {2, 2, 2, 3}), {.rate = 0});
      },
      "the rate must be at least 1, got 0");
  fails(
      [&](Graph& g, Output x) {
        Conv1D(x, filter(g, {2, 2, 3}), {.data_format = "NHWC"});
      },
      "data_format must be NWC or NCW");
  fails(
      [&](Graph& g, Output x) {
        SeparableConv2D(x, filter(g, {2, 2, 2, 3}), filter(g, {1, 1, 6, 2}),
                        {.strides = {1, 2, 2, 1}, .rate = {2, 2}});
      },
      "with a rate above 1 all strides must be 1");
}

}  // namespace
}  // namespace headrace
