// docs/add_an_op.md, step by step, with the op of examples/custom_op/: under the harness that every op of the tree goes
// through, in the tables that placement and files rely on, and with the errors that people get.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "examples/custom_op/swish.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

class AddedOp : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { custom::DefineSwish(OpRegistry::Global()); }
};

TEST_F(AddedOp, PassesTheHarness) {
  testing::CheckOp({.op = "Swish",
                    .attrs = {{"beta", 2.0f}},
                    .inputs = {testing::RandomTensor(DType::kFloat32, {2, 3})},
                    .reference = testing::Elementwise([](double x) { return x / (1 + std::exp(-2 * x)); }),
                    .dtypes = DTypeSet(DType::kFloat32, DType::kFloat64),
                    .shapes = {{{0, 3}}, {{1, 1}}, {Shape()}, {Shape{40000}}}});
}

TEST_F(AddedOp, RunsWhereItsTableSays) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"});
  Output y = custom::Swish(x);
  SessionOptions options;
  options.devices.simulated_gpus = 1;
  auto session = Session::Create(g, options);
  ASSERT_TRUE(session.ok()) << session.status();
  EXPECT_THAT(*(*session)->Placement(*y.node), HasSubstr("/device:GPU:0"));
  auto out = (*session)->Run({{x, Tensor::Of<float>({0, 1})}}, {y});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_NEAR(out->front().data<float>()[1], 1 / (1 + std::exp(-1.0)), 1e-6);
}

TEST_F(AddedOp, MistakesNameTheNodeAndTheLine) {
  Graph g;
  EXPECT_FALSE(custom::Swish(Const(g, 3), {.name = "act"}).valid());
  const std::string error(g.status().message());
  for (const char* part : {"Swish", "act", "added_op_test.cpp", "int32", "float32"})
    EXPECT_THAT(error, HasSubstr(part));
}

TEST_F(AddedOp, MovesThroughAGraphFile) {
  Graph g;
  custom::Swish(Placeholder(g, DType::kFloat64, {2}, {.name = "x"}), {.beta = 3.0f, .name = "y"});
  auto bytes = ExportGraph(g);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  Graph other;
  ASSERT_TRUE(ImportGraph(other, *bytes).ok());
  ASSERT_NE(other.FindNode("y"), nullptr);
  EXPECT_EQ(other.FindNode("y")->attrs().Get<float>("beta"), 3.0f);
}

}  // namespace
}  // namespace headrace
