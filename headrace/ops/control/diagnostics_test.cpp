#include "headrace/ops/control/diagnostics.h"

#include <gtest/gtest.h>

#include <chrono>

#include "headrace/ops/array/identity.h"
#include "headrace/ops/control/flow.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::GraphRunner;

TEST(Timestamp, IsNow) {
  Graph g;
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(testing::Evaluate(Timestamp(g)).scalar<double>(), now, 60);
}

TEST(Abort, FailsTheStepWithItsMessage) {
  Graph g;
  Node* const node = Abort(g, "out of sentences");
  ASSERT_NE(node, nullptr);
  GraphRunner runner;
  const Status status = runner.RunNode(node);
  EXPECT_TRUE(absl::IsAborted(status)) << status;
  EXPECT_NE(std::string(Message(status)).find("out of sentences"), std::string::npos) << status;
}

TEST(Fact, IsTrue) {
  Graph g;
  const Output fact = NodeBuilder(g, "Fact", "", Location::Current()).Build();
  EXPECT_EQ(testing::Evaluate(fact).scalar<std::string>(), "0! == 1");
}

TEST(RefSelect, GivesTheVariableItself) {
  Graph g;
  GraphRunner runner;
  const Output a = testing::FedVariable(g, runner, Tensor::Of<float>({1, 2}), "a");
  const Output b = testing::FedVariable(g, runner, Tensor::Of<float>({3, 4}), "b");
  const Output index = testing::FedTensor(g, DType::kInt32, {}, "index");
  const std::vector<Output> both = {a, b};
  const Output chosen = RefSelect(index, both);
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_TRUE(IsRef(chosen.dtype()));
  const auto value = runner.Run({chosen}, {{index, Tensor::Scalar<int32_t>(1)}});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(testing::BitDifference((*value)[0], Tensor::Of<float>({3, 4})), "");
  const Status status = runner.Run({chosen}, {{index, Tensor::Scalar<int32_t>(2)}}).status();
  EXPECT_NE(std::string(Message(status)).find("Index must be in the range [0, 2) but got 2"),
            std::string::npos)
      << status;
}

TEST(RefMerge, GivesAVariableThatIsThere) {
  Graph g;
  GraphRunner runner;
  const Output a = testing::FedVariable(g, runner, Tensor::Of<float>({1, 2}), "a");
  const MergeResult merged = RefMerge(std::vector<Output>{a});
  ASSERT_TRUE(g.status().ok()) << g.status();
  const auto values = runner.Run({merged.output, merged.index});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(testing::BitDifference((*values)[0], Tensor::Of<float>({1, 2})), "");
  EXPECT_EQ((*values)[1].scalar<int32_t>(), 0);
}

}  // namespace
}  // namespace headrace
