// Errors of ops on resource handles, and what differs from ops on ref edges; values and gradients
// are compared with TensorFlow's in tests/golden/ops/resources.json.
#include "headrace/ops/state/resource_variable.h"

#include <gtest/gtest.h>

#include "headrace/graph/gradients.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/operators.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::BitDifference;
using testing::CheckOp;
using testing::CheckOpError;
using testing::GraphRunner;
using testing::RandomTensor;

const Tensor& Value() {
  static const auto& value = *new Tensor(RandomTensor(DType::kFloat32, {2, 3}));
  return value;
}

TEST(ResourceVariable, UpdatesWithEveryKindOfKnowledge) {
  const Tensor delta = RandomTensor(DType::kFloat32, {2, 3}, -1, 1, 2);
  Tensor sum = Value().Clone();
  for (int i = 0; i < 6; ++i) sum.data<float>()[i] += delta.data<float>()[i];
  CheckOp({.op = "AssignAddVariableOp",
           .inputs = {Value(), delta},
           .expected_variables = {{0, sum}},
           .gradient_of = {{}}});
  CheckOp({.op = "AssignVariableOp",
           .inputs = {Value(), delta},
           .expected_variables = {{0, delta}},
           .gradient_of = {{}}});
}

TEST(ResourceVariable, SaysWhatIsWrong) {
  const Tensor row = RandomTensor(DType::kFloat32, {3});
  CheckOpError({.op = "ReadVariableOp",
                .attrs = AttrMap{{"dtype", DType::kInt32}},
                .inputs = {Value()},
                .text = "Trying to read variable with wrong dtype. Expected float got int32",
                .in_step = true});
  CheckOpError({.op = "AssignSubVariableOp", .inputs = {Value(), row}, .text = "shape"});
  CheckOpError({.op = "AssignVariableOp",
                .inputs = {Value(), Tensor::Of<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3})},
                .text = "Expected float got int32"});
  CheckOpError({.op = "ResourceGather",
                .attrs = AttrMap{{"dtype", DType::kFloat32}},
                .inputs = {Value(), Tensor::Of<int32_t>({0, 5})},
                .text = "indices[1] = 5 is not in [0, 2)",
                .at_build = false});
  CheckOpError({.op = "ResourceGatherNd",
                .attrs = AttrMap{{"dtype", DType::kFloat32}},
                .inputs = {Value(), Tensor::Of<int32_t>({0, 5}, {1, 2})},
                .text = "indices[0] = [0, 5] does not index into param shape [2,3]",
                .at_build = false});
  CheckOpError({.op = "ResourceScatterAdd",
                .inputs = {Value(), Tensor::Of<int32_t>({0, 2}), Value()},
                .text = "indices[1] = 2 is not in [0, 2)",
                .at_build = false});
  CheckOpError({.op = "ResourceStridedSliceAssign",
                .inputs = {Value(), Tensor::Of<int32_t>({0, 0}), Tensor::Of<int32_t>({1, 2}),
                           Tensor::Of<int32_t>({1, 1}), RandomTensor(DType::kFloat32, {2, 2})},
                .code = absl::StatusCode::kUnimplemented,
                .text = "sliced l-value shape [1,2] does not match r-value shape [2,2]. Automatic "
                        "broadcasting not yet implemented.",
                .at_build = false});
  CheckOpError({.op = "ResourceApplyGradientDescent",
                .inputs = {Value(), Tensor::Scalar(0.1f), row},
                .text = "var and delta do not have the same shape[2,3] [3]"});
}

Status Message(Output read) {
  GraphRunner runner;
  return runner.Run({read}).status();
}

TEST(ResourceVariable, HasNoValueBeforeItIsAssigned) {
  Graph g;
  const Output w = VarHandleOp(g, {2}, DType::kFloat32, {.name = "w"});
  const Status status = Message(ReadVariableOp(w));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.ToString().find(
                "Error while reading resource variable w from Container: localhost. This could "
                "mean that the variable was uninitialized."),
            std::string::npos)
      << status;
  EXPECT_EQ(Message(ResourceGather(w, Const(g, {0}))).code(),
            absl::StatusCode::kFailedPrecondition);
  GraphRunner runner;
  EXPECT_EQ(runner.RunNode(AssignAddVariableOp(w, Const(g, {1.0f, 2.0f}))).code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(runner.RunNode(DestroyResourceOp(w, {.ignore_lookup_error = false})).code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(runner.RunNode(DestroyResourceOp(w)).ok());
}

TEST(ResourceVariable, WhatWasReadDoesNotChange) {
  Graph g;
  GraphRunner runner;
  const Output w = VarHandleOp(g, {2}, DType::kFloat32);
  ASSERT_TRUE(runner.RunNode(AssignVariableOp(w, Const(g, {1.0f, 2.0f}))).ok());
  const std::vector<Tensor> before = *runner.Run({ReadVariableOp(w)});
  ASSERT_TRUE(runner.RunNode(AssignAddVariableOp(w, Const(g, {1.0f, 1.0f}))).ok());
  EXPECT_EQ(BitDifference(before[0], Tensor::Of<float>({1, 2})), "");
  EXPECT_EQ(BitDifference((*runner.Run({ReadVariableOp(w)}))[0], Tensor::Of<float>({2, 3})), "");
}

TEST(ResourceVariable, IsThatOfTheSharedName) {
  Graph g;
  GraphRunner runner;
  const Output a = VarHandleOp(g, {}, DType::kFloat32, {.shared_name = "same"}),
               b = VarHandleOp(g, {}, DType::kFloat32, {.shared_name = "same"}),
               c = VarHandleOp(g, {}, DType::kFloat32, {.shared_name = "other"});
  ASSERT_TRUE(runner.RunNode(AssignVariableOp(a, Const(g, 5.0f))).ok());
  EXPECT_EQ((*runner.Run({ReadVariableOp(b)}))[0].scalar<float>(), 5);
  EXPECT_FALSE((*runner.Run({VarIsInitializedOp(c)}))[0].scalar<bool>());
}

TEST(ResourceVariable, GradientsReachTheHandle) {
  Graph g;
  GraphRunner runner;
  const Output w = VarHandleOp(g, {3, 2}, DType::kFloat64);
  ASSERT_TRUE(
      runner.RunNode(AssignVariableOp(w, Const(g, RandomTensor(DType::kFloat64, {3, 2})))).ok());
  const Output read = ReadVariableOp(w), rows = ResourceGather(w, Const(g, {2, 0, 2}));
  const std::vector<Gradient> dense = Gradients(read * read, {w}), sparse = Gradients(rows, {w}),
                              both = Gradients(std::vector<Output>{read, rows}, std::vector{w});
  ASSERT_TRUE(g.status().ok()) << g.status();
  ASSERT_TRUE(sparse[0].slices.has_value());
  const auto results = *runner.Run({read, dense[0].dense, both[0].Dense()});
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(results[1].data<double>()[i], 2 * results[0].data<double>()[i]);
    EXPECT_EQ(results[2].data<double>()[i], i < 2 ? 2 : i < 4 ? 1 : 3);
  }
}

TEST(ResourceScatterNd, AddsTruthValuesAsNumbers) {
  const Tensor x = Tensor::Of<bool>({true, true, false, false});
  const Tensor at = Tensor::Of<int32_t>({0, 1, 2, 3}, {4, 1});
  const auto scattered = [&](const char* op, std::initializer_list<bool> expected) {
    CheckOp({.op = op,
             .inputs = {x, at, Tensor::Of<bool>({true, false, true, false})},
             .expected_variables = {{0, Tensor::Of<bool>(expected)}},
             .gradient_of = {{}}});
  };
  scattered("ResourceScatterNdAdd", {true, true, true, false});
  scattered("ResourceScatterNdSub", {false, true, true, false});
}

}  // namespace
}  // namespace headrace
