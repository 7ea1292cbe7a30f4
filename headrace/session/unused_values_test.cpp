// Values that only order others are not computed, and nothing else changes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include "headrace/graph/gradients.h"
#include "headrace/ops/array/check.h"
#include "headrace/ops/ops.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

// One step of gradient descent on a product whose gradients are gated as TensorFlow's optimizers gate them.
struct Step {
  Step() {
    x = Placeholder(g, DType::kFloat32, {-1, 3}, {.name = "x"});
    w = Variable(g, Tensor::Of<float>({1, 2, 3, 4, 5, 6}, Shape{3, 2}), {.name = "w"});
    Output y = MatMul(x, w, {.name = "product"});
    const auto gradients = Gradients(ReduceSum(Square(y)), {w.value()}, {.gate_gradients = true});
    update = AssignSub(w.ref(), 0.01f * gradients[0].Dense()).node;
    init = GlobalVariablesInitializer(g);
  }

  // Runs the update and gives the names of what ran.
  std::set<std::string> Run(bool optimize, Tensor& weights) {
    SessionOptions options;
    options.optimize = optimize;
    auto session = Session::Create(g, options);
    EXPECT_TRUE(session.ok()) << session.status();
    EXPECT_TRUE((*session)->Run({}, {}, {init}).ok());
    RunMetadata metadata;
    const Tensor fed = Tensor::Of<float>({1, 0, 2, -1, 3, 1}, Shape{2, 3});
    const auto status = (*session)->Run({{x, fed}}, {}, {update}, {.trace = true}, &metadata).status();
    EXPECT_TRUE(status.ok()) << status;
    auto out = (*session)->Run({}, {w});
    EXPECT_TRUE(out.ok());
    weights = (*out)[0].Clone();
    std::set<std::string> names;
    for (const TraceEvent& event : metadata.trace.events()) {
      if (event.node != nullptr) names.insert(event.node->name());
    }
    return names;
  }

  Graph g;
  Output x;
  Variable w;
  Node* update;
  Node* init;
};

TEST(DropUnusedValues, GradientOfTheFedBatchIsNotComputed) {
  Step step;
  ASSERT_TRUE(step.g.status().ok()) << step.g.status();
  Tensor plain, optimized;
  const std::set<std::string> all = step.Run(/*optimize=*/false, plain);
  const std::set<std::string> needed = step.Run(/*optimize=*/true, optimized);
  EXPECT_TRUE(all.contains("gradients/product_grad/MatMul")) << "gated: both gradients are computed";
  EXPECT_FALSE(needed.contains("gradients/product_grad/MatMul"));
  EXPECT_TRUE(needed.contains("gradients/product_grad/MatMul_1"));
  ASSERT_EQ(plain.shape(), optimized.shape());
  EXPECT_EQ(std::memcmp(plain.raw_data(), optimized.raw_data(), plain.size_bytes()), 0);
}

TEST(DropUnusedValues, WhatIsFetchedIsComputed) {
  Step step;
  Output dx = step.g.FindNode("gradients/product_grad/MatMul")->output(0);
  auto session = Session::Create(step.g);
  ASSERT_TRUE((*session)->Run({}, {}, {step.init}).ok());
  const Tensor fed = Tensor::Of<float>({1, 0, 2}, Shape{1, 3});
  auto out = (*session)->Run({{step.x, fed}}, {dx}, {step.update});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), (Shape{1, 3}));
}

TEST(DropUnusedValues, FailingNodesStillFail) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {2}, {.name = "x"});
  Output checked = CheckNumerics(x, "x is bad");
  ControlDependencies after(g, {checked});
  Output y = Identity(Const(g, 1.0f));
  auto session = Session::Create(g);
  auto out = (*session)->Run({{x, Tensor::Of<float>({1, NAN})}}, {y});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument) << out.status();
}

}  // namespace
}  // namespace headrace
