#include "headrace/ops/math/operators.h"

#include <gtest/gtest.h>

#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/state/variable.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::Evaluate;

class Operators : public ::testing::Test {
 protected:
  // "x (Add)": what the operator made.
  static std::string Made(Output y) {
    return y.valid() ? y.node->name() + " (" + y.node->op_name() + ")" : "nothing";
  }

  Graph g_;
  Output x_ = Placeholder(g_, DType::kFloat32, {2}, {.name = "x"});
  Output y_ = Placeholder(g_, DType::kFloat32, {2}, {.name = "y"});
  Output n_ = Placeholder(g_, DType::kInt32, {2}, {.name = "n"});
  Output b_ = Placeholder(g_, DType::kBool, {2}, {.name = "b"});
};

TEST_F(Operators, NameNodesAsTensorFlow) {
  EXPECT_EQ(Made(x_ + y_), "add (Add)");
  EXPECT_EQ(Made(x_ + y_), "add_1 (Add)");
  EXPECT_EQ(Made(x_ - y_), "sub (Sub)");
  EXPECT_EQ(Made(x_ * y_), "mul (Mul)");
  EXPECT_EQ(Made(x_ / y_), "truediv (RealDiv)");
  EXPECT_EQ(Made(x_ % y_), "mod (FloorMod)");
  EXPECT_EQ(Made(-x_), "Neg (Neg)");
  EXPECT_EQ(Made(b_ & b_), "and (LogicalAnd)");
  EXPECT_EQ(Made(b_ | b_), "or (LogicalOr)");
  EXPECT_EQ(Made(~b_), "LogicalNot (LogicalNot)");
  EXPECT_TRUE(g_.status().ok()) << g_.status();
}

TEST_F(Operators, TurnNumbersIntoConstantsOfTheTensorsType) {
  const Output sum = x_ + 2;
  EXPECT_EQ(Made(sum), "add (Add)");
  EXPECT_EQ(sum.node->input(1).node->name(), "add/y");
  EXPECT_EQ(sum.node->input(1).dtype(), DType::kFloat32);
  const Output product = 3.0 * x_;
  EXPECT_EQ(product.node->input(0).node->name(), "mul/x");
  const Output shifted = n_ - 1;
  EXPECT_EQ(shifted.node->input(1).dtype(), DType::kInt32);
  const Output twice = Mul(x_, 2.0f);
  EXPECT_EQ(twice.node->input(1).node->name(),
            "Mul_1/y");  // names that differ only in case are not unique
  EXPECT_TRUE(g_.status().ok()) << g_.status();
}

TEST_F(Operators, DivideIntegersAsFloats) {
  const Output y = n_ / 4;
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(Made(y), "truediv (RealDiv)");
  EXPECT_EQ(y.dtype(), DType::kFloat64);
  EXPECT_EQ(y.node->input(0).node->name(), "truediv/Cast");
  EXPECT_EQ(y.node->input(1).node->name(), "truediv/Cast_1");
  EXPECT_EQ(testing::Difference(Evaluate(y, {{n_, Tensor::Of<int32_t>({1, -6})}}),
                                Tensor::Of<double>({0.25, -1.5}), 0),
            "");
}

TEST_F(Operators, TakeVariables) {
  const Variable w(g_, {1.0f, 2.0f}, {.name = "w"});
  const Output y = 2.0f * w + x_;
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(y.node->input(0).node->input(1).node->name(), "w/read");
  testing::GraphRunner runner;
  ASSERT_TRUE(runner.RunNode(w.initializer()).ok());
  const auto values = runner.Run({y}, {{x_, Tensor::Of<float>({1, 1})}});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(testing::Difference((*values)[0], Tensor::Of<float>({3, 5}), 0), "");
}

TEST_F(Operators, KeepTheLineOfTheExpression) {
  const Output y = x_ + 1;
  EXPECT_EQ(y.node->location().line, static_cast<uint32_t>(__LINE__ - 1));
  EXPECT_EQ(y.node->input(1).node->location().line, static_cast<uint32_t>(__LINE__ - 2));
  EXPECT_NE(y.node->location().ToString().find("operators_test.cpp"), std::string::npos);
}

TEST_F(Operators, RefuseNumbersThatTheTypeCannotHold) {
  EXPECT_FALSE((n_ + 2.5).valid());
  EXPECT_EQ(g_.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(g_.status()).find("operators_test.cpp:"), std::string_view::npos)
      << g_.status();
  EXPECT_NE(Message(g_.status()).find("the number 2.5 is no int32"), std::string_view::npos)
      << g_.status();
}

TEST_F(Operators, RefuseDifferentTypes) {
  EXPECT_FALSE((n_ + x_).valid());
  EXPECT_FALSE(g_.status().ok());
}

TEST_F(Operators, PassInvalidTensorsOn) {
  EXPECT_FALSE((n_ + 2.5).valid());
  const Status first = g_.status();
  EXPECT_FALSE(((n_ + 2.5) * n_ - 1).valid());
  EXPECT_EQ(g_.status(), first);
}

}  // namespace
}  // namespace headrace
