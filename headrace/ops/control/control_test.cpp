// NoOp, Group, and the definitions of control flow ops; how an executor treats dead values is
// tested with it.
#include <gtest/gtest.h>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/control/flow.h"
#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/variable.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

TEST(Group, RunsEverything) {
  Graph g;
  testing::GraphRunner runner;
  const Variable a(g, 0.0f, {.name = "a"}), b(g, 0.0f, {.name = "b"});
  Node* init = Group(g, {a.initializer(), b.initializer()}, {.name = "init"});
  Node* both =
      Group(g, {AssignAdd(a.ref(), Const(g, 1.0f)).node, AssignAdd(b.ref(), Const(g, 2.0f)).node});
  EXPECT_EQ(both->name(), "group_deps");
  ASSERT_TRUE(runner.RunNode(init).ok());
  ASSERT_TRUE(runner.RunNode(both).ok());
  EXPECT_EQ((*runner.Run({a.value()}))[0].scalar<float>(), 1);
  EXPECT_EQ((*runner.Run({b.value()}))[0].scalar<float>(), 2);
}

TEST(Group, HasANodeForEachDevice) {
  Graph g;
  std::vector<Node*> nodes;
  for (const char* device : {"/gpu:0", "/gpu:1", "/gpu:1"}) {
    DeviceScope scope(g, device);
    nodes.push_back(NoOp(g));
  }
  Node* one = Group(g, {nodes[1], nodes[2]}, {.name = "one"});
  EXPECT_EQ(one->requested_device(), "/device:GPU:1");
  EXPECT_EQ(one->control_inputs().size(), 2u);
  Node* two = Group(g, nodes, {.name = "two"});
  ASSERT_EQ(two->control_inputs().size(), 2u);
  EXPECT_EQ(two->control_inputs()[0]->name(), "two/NoOp");
  EXPECT_EQ(two->control_inputs()[1]->requested_device(), "/device:GPU:1");
}

TEST(Flow, InfersWhatShapesItCan) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, {2, 3}),
               pred = Placeholder(g, DType::kBool, Shape{});
  const SwitchResult branches = Switch(x, pred);
  EXPECT_EQ(branches.if_true.shape(), (PartialShape{2, 3}));
  const Output other = Placeholder(g, DType::kFloat32, {4, 3});
  EXPECT_EQ(Merge({branches.if_false, other}).output.shape(), (PartialShape{-1, 3}));
  EXPECT_EQ(Merge({branches.if_false, branches.if_true}).index.dtype(), DType::kInt32);
  EXPECT_FALSE(Enter(x, "loop").shape().has_rank());
  EXPECT_EQ(Enter(x, "loop", {.is_constant = true}).shape(), (PartialShape{2, 3}));
  EXPECT_EQ(Exit(NextIteration(x)).shape(), (PartialShape{2, 3}));
  EXPECT_TRUE(g.status().ok()) << g.status();
  EXPECT_FALSE(Switch(x, x).if_true.valid());
}

TEST(Flow, SwitchGivesTheTakenOutputOnly) {
  for (const bool taken : {false, true}) {
    Graph g;
    testing::GraphRunner runner;
    const SwitchResult branches = Switch(Const(g, 3.0f), Const(g, taken));
    const auto both = runner.Run({taken ? branches.if_true : branches.if_false});
    // The test runner knows no dead values: it reports the output that was not set.
    EXPECT_FALSE(both.ok());
    EXPECT_NE(
        both.status().ToString().find(taken ? "did not set output 0" : "did not set output 1"),
        std::string::npos)
        << both.status();
  }
}

TEST(Flow, MergeSaysWhichInputCame) {
  Graph g;
  testing::GraphRunner runner;
  const MergeResult merged = Merge({Const(g, 3.0f), Const(g, 4.0f)});
  const auto values = runner.Run({merged.output, merged.index});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[0].scalar<float>(), 3);
  EXPECT_EQ((*values)[1].scalar<int32_t>(), 0);
}

}  // namespace
}  // namespace headrace
