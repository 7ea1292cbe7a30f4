#include "headrace/train/clip.h"

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/train/gradient_descent.h"
#include "headrace/train/internal/nodes.h"
#include "headrace/train/testing/golden.h"

namespace headrace {
namespace {

using nlohmann::json;
using testing::TensorOf;

// The outputs in the golden's order; the norm last where the function gives one.
std::vector<Output> Make(const std::string& function, const json& a, std::vector<Gradient> inputs) {
  if (function == "clip_by_value") {
    return {ClipByValue(inputs[0], a["min"].get<double>(), a["max"].get<double>()).dense};
  }
  if (function == "global_norm") return {GlobalNorm(inputs)};
  const double norm = a["clip_norm"].get<double>();
  if (function == "clip_by_average_norm") return {ClipByAverageNorm(inputs[0], norm).dense};
  if (function == "clip_by_norm") {
    ClipByNormOptions options;
    if (a.contains("axes")) options.axes = a["axes"].get<std::vector<int64_t>>();
    return {ClipByNorm(inputs[0], norm, options).dense};
  }
  const ClippedGradients clipped = ClipByGlobalNorm(inputs, norm);
  std::vector<Output> outputs;
  for (const Gradient& g : clipped.gradients) outputs.push_back(g.dense);
  outputs.push_back(clipped.global_norm);
  return outputs;
}

TEST(Clip, EqualsTensorFlow) {
  const json doc = testing::LoadGolden("schedules.json");
  for (const json& golden : doc["clips"]) {
    const std::string function = golden["function"].get<std::string>();
    SCOPED_TRACE(StrCat(function, " ", golden["args"].dump(), " ", golden["inputs"].dump()));
    Graph g;
    std::vector<Gradient> inputs;
    for (const json& input : golden["inputs"]) {
      inputs.push_back(input.is_null() ? Gradient{} : Gradient{Const(g, TensorOf(input))});
    }
    const std::vector<Output> outputs = Make(function, golden["args"], inputs);
    ASSERT_EQ(outputs.size(), golden["outputs"].size());
    const std::unique_ptr<Session> session = testing::MakeSession(g);
    ASSERT_NE(session, nullptr);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const json& expected = golden["outputs"][i];
      ASSERT_EQ(outputs[i].valid(), !expected.is_null()) << g.status();
      if (expected.is_null()) continue;
      EXPECT_TRUE(
          testing::Near(testing::Fetch(*session, outputs[i]), TensorOf(expected), 1e-6, 1e-7))
          << i;
    }
  }
}

// Names made with TensorFlow 1.15, for two gradients a and b.
TEST(Clip, GlobalNormHasTheNodesOfTensorFlow) {
  Graph g;
  const std::vector<Gradient> inputs = {{Const(g, {3.0f, 4.0f}, {.name = "a"})},
                                        {Const(g, {12.0f}, {.name = "b"})}};
  ClipByGlobalNorm(inputs, 5.0);
  ASSERT_TRUE(g.status().ok()) << g.status();
  const char* names[] = {"global_norm/L2Loss",
                         "global_norm/L2Loss_1",
                         "global_norm/stack",
                         "global_norm/Const",
                         "global_norm/Sum",
                         "global_norm/Const_1",
                         "global_norm/mul",
                         "global_norm/global_norm",
                         "clip_by_global_norm/truediv/x",
                         "clip_by_global_norm/truediv",
                         "clip_by_global_norm/Const",
                         "clip_by_global_norm/truediv_1/y",
                         "clip_by_global_norm/truediv_1",
                         "clip_by_global_norm/Minimum",
                         "clip_by_global_norm/mul/x",
                         "clip_by_global_norm/mul",
                         "clip_by_global_norm/IsFinite",
                         "clip_by_global_norm/Const_1",
                         "clip_by_global_norm/Select",
                         "clip_by_global_norm/mul_1",
                         "clip_by_global_norm/clip_by_global_norm/_0",
                         "clip_by_global_norm/mul_2",
                         "clip_by_global_norm/clip_by_global_norm/_1"};
  for (size_t i = 0; i < std::size(names); ++i) {
    ASSERT_LT(static_cast<int>(i) + 2, g.num_nodes());
    EXPECT_EQ(g.node(static_cast<int>(i) + 2)->name(), names[i]);
  }
}

TEST(Clip, ByNormHasTheNodesOfTensorFlow) {
  Graph g;
  ClipByNorm({Const(g, {{1.0f, 2.0f}}, {.name = "a"})}, 2.0);
  ClipByValue({Const(g, {1.0f}, {.name = "b"})}, -1.0, 2.0);
  ASSERT_TRUE(g.status().ok()) << g.status();
  for (const char* name :
       {"clip_by_norm/mul", "clip_by_norm/Const", "clip_by_norm/Sum", "clip_by_norm/Greater/y",
        "clip_by_norm/Greater", "clip_by_norm/ones_like", "clip_by_norm/Select",
        "clip_by_norm/Sqrt", "clip_by_norm/Select_1", "clip_by_norm/mul_1/y", "clip_by_norm/mul_1",
        "clip_by_norm/Maximum/y", "clip_by_norm/Maximum", "clip_by_norm/truediv", "clip_by_norm",
        "clip_by_value/Minimum/y", "clip_by_value/Minimum", "clip_by_value/y", "clip_by_value"}) {
    EXPECT_NE(g.FindNode(name), nullptr) << name;
  }
}

TEST(Clip, ClipsTheValuesOfSlices) {
  Graph g;
  Gradient slices;
  slices.slices = IndexedSlices{Const(g, {{3.0f}, {4.0f}}), Const(g, {0, 0}), {}};
  const Gradient clipped = ClipByNorm(slices, 2.5);
  ASSERT_TRUE(clipped.slices.has_value());
  EXPECT_EQ(clipped.slices->indices, slices.slices->indices);
  const std::unique_ptr<Session> session = testing::MakeSession(g);
  EXPECT_TRUE(testing::Near(testing::Fetch(*session, clipped.slices->values),
                            Tensor::Of<float>({1.5, 2}, {2, 1}), 1e-6));
}

TEST(Clip, GradientsOfAnOptimizerInPlace) {
  Graph g;
  Variable w(g, {30.0f, 40.0f}, {.name = "w"});
  Output loss = train::Call("L2Loss", {w}, Location());
  GradientDescentOptimizer sgd(1.0);
  std::vector<GradientAndVariable> gradients = sgd.ComputeGradients(loss);
  Output norm = ClipByGlobalNorm(gradients, 5.0);
  Node* train = sgd.ApplyGradients(gradients);
  Node* init = GlobalVariablesInitializer(g);
  const std::unique_ptr<Session> session = testing::MakeSession(g);
  ASSERT_NE(session, nullptr);
  testing::RunOp(*session, init);
  EXPECT_FLOAT_EQ(testing::Fetch(*session, norm).scalar<float>(), 50);
  testing::RunOp(*session, train);
  EXPECT_TRUE(testing::Near(testing::Fetch(*session, w), Tensor::Of<float>({27, 36}), 1e-6));
}

}  // namespace
}  // namespace headrace
