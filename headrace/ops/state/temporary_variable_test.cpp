#include "headrace/ops/state/temporary_variable.h"

#include <gtest/gtest.h>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::GraphRunner;

TEST(TemporaryVariable, HoldsASumWithinAStep) {
  Graph g;
  const Output sum = TemporaryVariable(g, {2}, DType::kFloat32, {.var_name = "sum"});
  const Output x = testing::FedTensor(g, DType::kFloat32, {2});
  const Output y = DestroyTemporaryVariable(AssignAdd(Assign(sum, x), x), "sum");
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_FALSE(IsRef(y.dtype()));
  GraphRunner runner;
  for (const float v : {1.0f, 5.0f}) {
    const auto values = runner.Run({y}, {{x, Tensor::Of<float>({v, 2 * v})}});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ(testing::BitDifference((*values)[0], Tensor::Of<float>({2 * v, 4 * v})), "");
    EXPECT_TRUE(runner.resources().List().empty()) << "it is still there";
  }
}

TEST(TemporaryVariable, IsNewEachTime) {
  Graph g;
  const Output v = TemporaryVariable(g, Shape(), DType::kInt32, {.name = "v"});
  const Output y = DestroyTemporaryVariable(AssignAdd(v, Const(g, int32_t{3})), "v");
  GraphRunner runner;
  for (int i = 0; i < 2; ++i) {
    const auto values = runner.Run({y});
    ASSERT_TRUE(values.ok()) << values.status();
    EXPECT_EQ((*values)[0].scalar<int32_t>(), 3);
  }
}

TEST(TemporaryVariable, RefusesWrongNamesAndShapes) {
  Graph g;
  const Output v = TemporaryVariable(g, {2}, DType::kFloat32, {.var_name = "v"});
  const Output y = DestroyTemporaryVariable(v, "w");
  GraphRunner runner;
  const Status status = runner.Run({y}).status();
  EXPECT_NE(std::string(Message(status)).find("'v', attribute 'var_name' says 'w'"),
            std::string::npos)
      << status;
  TemporaryVariable(g, {-1}, DType::kFloat32);
  EXPECT_NE(std::string(Message(g.status())).find("must be fully known"), std::string::npos)
      << g.status();
}

}  // namespace
}  // namespace headrace
