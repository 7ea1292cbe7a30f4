#include "gmock/gmock.h"
#include "headrace/base/strings.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/variable.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace {
namespace {

using testing::GraphRunner;
using ::testing::HasSubstr;

float Value(GraphRunner& runner, const Variable& variable) {
  StatusOr<std::vector<Tensor>> values = runner.Run({variable.value()});
  EXPECT_TRUE(values.ok()) << values.status();
  return values.ok() ? (*values)[0].scalar<float>() : -1;
}

TEST(GlobalVariablesInitializer, IsTheGroupOfInitializers) {
  Graph g;
  Variable a(g, 1.0f, {.name = "a"}), b(g, 2.0f, {.name = "b"});
  const int mark = g.num_nodes();
  Node* init = GlobalVariablesInitializer(g);
  ASSERT_NE(init, nullptr) << g.status();
  EXPECT_EQ(g.num_nodes(), mark + 1);
  EXPECT_EQ(init->name(), "init");
  EXPECT_EQ(init->control_inputs(), (std::vector<Node*>{a.initializer(), b.initializer()}));
}

TEST(GlobalVariablesInitializer, FollowsInitialValues) {
  Graph g;
  Variable first(g, 7.0f, {.name = "first"});
  Variable second(g, Identity(first.value(), {.name = "copy"}), {.name = "second"});
  Variable third(g, second.value(), {.name = "third"});
  Node* init = GlobalVariablesInitializer(g);
  ASSERT_NE(init, nullptr) << g.status();
  // The program's own nodes are as they were: a step that reads `first` never initialises it.
  EXPECT_TRUE(first.value().node->control_inputs().empty());
  EXPECT_NE(g.FindNode("init/first/read"), nullptr);
  EXPECT_NE(g.FindNode("init/copy"), nullptr);
  GraphRunner runner;
  ASSERT_TRUE(runner.RunNode(init).ok());
  EXPECT_EQ(Value(runner, third), 7);
  EXPECT_EQ(Value(runner, second), 7);
  // Again after a change: every variable from its initial value, in order.
  Node* set = Assign(first.ref(), Const(g, 9.0f)).node;
  ASSERT_TRUE(runner.RunNode(set).ok());
  ASSERT_TRUE(runner.RunNode(third.initializer()).ok());
  EXPECT_EQ(Value(runner, third), 7);  // what `second` holds
  ASSERT_TRUE(runner.RunNode(init).ok());
  EXPECT_EQ(Value(runner, third), 7);
}

TEST(GlobalVariablesInitializer, OrdersVariablesBehindHandles) {
  Graph g;
  Variable first(g, 7.0f, {.use_resource = true, .name = "first"});
  Variable second(g, Identity(first.Read(), {.name = "copy"}),
                  {.use_resource = true, .name = "second"});
  Variable third(g, second.Read(), {.name = "third"});
  Node* init = GlobalVariablesInitializer(g);
  ASSERT_NE(init, nullptr) << g.status();
  GraphRunner runner;
  ASSERT_TRUE(runner.RunNode(init).ok());
  EXPECT_EQ(Value(runner, second), 7);
  EXPECT_EQ(Value(runner, third), 7);
}

TEST(GlobalVariablesInitializer, ReadsOfOtherVariablesAreNotOrdered) {
  Graph g;
  Variable outside(g, 3.0f, {.collections = {kLocalVariables}, .name = "outside"});
  Variable inside(g, outside.value(), {.name = "inside"});
  Node* init = InitializeVariables(g, std::vector<Variable>{inside}, {.name = "some"});
  ASSERT_NE(init, nullptr) << g.status();
  GraphRunner runner;
  EXPECT_EQ(runner.RunNode(init).code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(runner.RunNode(outside.initializer()).ok());
  ASSERT_TRUE(runner.RunNode(init).ok());
  EXPECT_EQ(Value(runner, inside), 3);
}

TEST(GlobalVariablesInitializer, NamesBothVariablesOfACycle) {
  Graph g;
  Variable a(g, 1.0f, {.name = "a"});
  Variable b(g, a.value(), {.name = "b"});
  ASSERT_TRUE(g.SetInput(*a.initializer(), 1, b.value()).ok());
  const Variable again = Variable::Of(a.ref());
  EXPECT_EQ(InitializeVariables(g, std::vector<Variable>{again, b}), nullptr);
  EXPECT_EQ(g.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(g.status())), HasSubstr("node 'a' (initialize_test.cpp:"));
  EXPECT_THAT(std::string(Message(g.status())), HasSubstr("node 'b' (initialize_test.cpp:"));
}

}  // namespace
}  // namespace headrace
