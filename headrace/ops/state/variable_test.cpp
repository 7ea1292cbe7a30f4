// Variables, assignment, scatter ops, CountUpTo.
#include "headrace/ops/state/variable.h"

#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/scatter.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Difference;
using testing::GraphRunner;
using testing::RandomTensor;

TEST(Variable, MakesTensorFlowsNodes) {
  Graph g;
  const Variable w(g, {1.0f, 2.0f}, {.name = "w"});
  ASSERT_TRUE(g.status().ok()) << g.status();
  std::vector<std::string> names;
  for (int i = 0; i < g.num_nodes(); ++i) names.push_back(g.node(i)->name());
  EXPECT_EQ(names, (std::vector<std::string>{"w/initial_value", "w", "w/Assign", "w/read"}));
  EXPECT_EQ(w.ref().dtype(), MakeRef(DType::kFloat32));
  EXPECT_EQ(w.value().node->colocation(), (std::vector<std::string>{"w"}));
  EXPECT_EQ(w.initializer()->colocation(), (std::vector<std::string>{"w"}));
  ASSERT_EQ(g.Collection(kVariables).size(), 1u);
  EXPECT_EQ(g.Collection(kVariables)[0], w.ref());
  EXPECT_EQ(g.Collection(kTrainableVariables).size(), 1u);
  const Variable step(g, int64_t{0}, {.trainable = false});
  EXPECT_EQ(step.name(), "Variable");
  EXPECT_EQ(g.Collection(kVariables).size(), 2u);
  EXPECT_EQ(g.Collection(kTrainableVariables).size(), 1u);
}

TEST(Variable, BehindAHandleHasTensorFlowsNodesToo) {
  Graph g;
  const Variable w(g, {1.0f, 2.0f}, {.use_resource = true, .name = "w"});
  ASSERT_TRUE(g.status().ok()) << g.status();
  std::vector<std::string> names;
  for (int i = 0; i < g.num_nodes(); ++i) names.push_back(g.node(i)->name());
  EXPECT_EQ(names, (std::vector<std::string>{"w/Initializer/initial_value", "w",
                                             "w/IsInitialized/VarIsInitializedOp", "w/Assign",
                                             "w/Read/ReadVariableOp"}));
  EXPECT_TRUE(w.is_resource());
  EXPECT_EQ(w.dtype(), DType::kFloat32);
  EXPECT_EQ(w.shape(), (PartialShape{2}));
  EXPECT_EQ(w.ref().node->attrs().Get<std::string>("shared_name"), "w");
  EXPECT_EQ(w.ref().node->colocation(), (std::vector<std::string>{"w"}));
  EXPECT_TRUE(w.initializer()->colocation().empty());
  EXPECT_EQ(g.Collection(kTrainableVariables)[0], w.ref());
  // Each place reads it with a node of its own.
  NameScope scope(g, "here");
  EXPECT_EQ(w.Read().node->name(), "here/ReadVariableOp");
  EXPECT_EQ(w.value().node->name(), "w/Read/ReadVariableOp");
  const Variable found = Variable::Of(w.ref());
  EXPECT_EQ(found.value(), w.value());
  EXPECT_EQ(found.initializer(), w.initializer());
  EXPECT_EQ(found.dtype(), w.dtype());
  EXPECT_EQ(found.shape(), w.shape());
}

TEST(Variable, BehindAHandleMayBeCachedElsewhere) {
  Graph g;
  DeviceScope gpu(g, "/gpu:0");
  const Variable w(g, 1.0f, {.device_of_read = "/cpu:0", .use_resource = true, .name = "w"});
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_EQ(w.value().node->name(), "w/Read/Identity");
  EXPECT_EQ(w.value().node->requested_device(), "/device:CPU:0");
  EXPECT_EQ(w.value().node->input(0).node->requested_device(), "/device:GPU:0");
  EXPECT_EQ(w.Read(), w.value());
  EXPECT_EQ(Variable::Of(w.ref()).value(), w.value());
}

TEST(Variable, ColocatesWhatItsInitializerMakes) {
  Graph g;
  const Variable w(g, [](Graph& in) { return Zeros(in, {2, 3}); }, {.name = "w"});
  ASSERT_TRUE(w.valid()) << g.status();
  EXPECT_EQ(w.initial_value().name(), "w/Initializer/zeros:0");
  EXPECT_EQ(w.initial_value().node->colocation(), (std::vector<std::string>{"w"}));
  EXPECT_EQ(w.shape(), (PartialShape{2, 3}));
}

TEST(Variable, NeedsAKnownShapeUnlessToldOtherwise) {
  Graph g;
  const Output x = Placeholder(g, DType::kFloat32, {-1});
  EXPECT_TRUE(Variable(g, x, {.validate_shape = false}).valid());
  EXPECT_TRUE(g.status().ok());
  EXPECT_FALSE(Variable(g, x, {.name = "w"}).valid());
  EXPECT_NE(Message(g.status()).find("initial_value must have a shape specified"),
            std::string_view::npos)
      << g.status();
}

TEST(Variable, IsFoundFromItsRef) {
  Graph g;
  const Variable w(g, 1.0f, {.name = "w"});
  const Variable found = Variable::Of(g.Collection(kVariables)[0]);
  EXPECT_EQ(found.value(), w.value());
  EXPECT_EQ(found.initializer(), w.initializer());
  EXPECT_EQ(found.initial_value(), w.initial_value());
  EXPECT_FALSE(Variable::Of(w.value()).valid());
}

TEST(Variable, KeepsItsValueFromStepToStep) {
  Graph g;
  GraphRunner runner;
  const Variable w(g, {1.0f, 2.0f}, {.name = "w"});
  const Output initialized = IsVariableInitialized(w.ref());
  EXPECT_FALSE((*runner.Run({initialized}))[0].scalar<bool>());
  const Status status = runner.Run({w.value()}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(Message(status).find("Attempting to use uninitialized value w"), std::string_view::npos)
      << status;
  ASSERT_TRUE(runner.RunNode(w.initializer()).ok());
  EXPECT_TRUE((*runner.Run({initialized}))[0].scalar<bool>());
  const Output more = AssignAdd(w.ref(), Const(g, {10.0f, 20.0f}));
  ASSERT_TRUE(runner.RunNode(more.node).ok());
  ASSERT_TRUE(runner.RunNode(more.node).ok());
  EXPECT_EQ(Difference((*runner.Run({w.value()}))[0], Tensor::Of<float>({21, 42}), 0), "");
}

TEST(Variable, IsSharedByName) {
  Graph g;
  GraphRunner runner;
  const Output a = VariableV2(g, Shape{}, DType::kFloat32, {.shared_name = "s", .name = "a"});
  const Output b = VariableV2(g, Shape{}, DType::kFloat32, {.shared_name = "s", .name = "b"});
  const Output other = VariableV2(g, Shape{}, DType::kInt32, {.shared_name = "s", .name = "c"});
  ASSERT_TRUE(runner.RunNode(Assign(a, Const(g, 3.0f)).node).ok());
  EXPECT_EQ((*runner.Run({b}))[0].scalar<float>(), 3);
  EXPECT_FALSE(runner.RunNode(other.node).ok());
}

TEST(Assign, ReplacesTheValue) {
  const Tensor old = Tensor::Of<float>({1, 2}), value = Tensor::Of<float>({3, 4});
  CheckOp({.op = "Assign",
           .inputs = {old, value},
           .expected_variables = {{0, value}},
           .gradient_of = {{}}});
  CheckOp({.op = "Assign",
           .attrs = {{"validate_shape", false}},
           .inputs = {old, Tensor::Of<float>({5, 6, 7})},
           .expected_variables = {{0, Tensor::Of<float>({5, 6, 7})}},
           .gradient_of = {{}}});
  CheckOp({.op = "Assign",
           .inputs = {Tensor::Of<std::string>({"a"}), Tensor::Of<std::string>({"b"})},
           .expected_variables = {{0, Tensor::Of<std::string>({"b"})}}});
  CheckOpError(
      {.op = "Assign",
       .inputs = {old, Tensor::Of<float>({1, 2, 3})},
       .text = "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3]"});
}

TEST(AssignAdd, AndSubChangeTheValue) {
  for (const DType type : {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64,
                           DType::kUInt8, DType::kFloat16, DType::kComplex64}) {
    const Tensor value = testing::FromDoubles({7, 8}, {2}, type),
                 delta = testing::FromDoubles({2, 3}, {2}, type);
    CheckOp({.op = "AssignAdd",
             .inputs = {value, delta},
             .expected_variables = {{0, testing::FromDoubles({9, 11}, {2}, type)}},
             .gradient_of = {{}}});
    CheckOp({.op = "AssignSub",
             .inputs = {value, delta},
             .expected_variables = {{0, testing::FromDoubles({5, 5}, {2}, type)}},
             .gradient_of = {{}}});
  }
  CheckOp({.op = "AssignAdd",
           .inputs = {Tensor::Scalar<int32_t>(2147483647), Tensor::Scalar<int32_t>(1)},
           .expected_variables = {{0, Tensor::Scalar<int32_t>(-2147483647 - 1)}}});
}

TEST(Scatter, FoldsRowsInOrder) {
  const Tensor table = Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor ids = Tensor::Of<int32_t>({2, 0, 2}),
               rows = Tensor::Of<float>({10, 20, 2, 4, 5, 8}, {3, 2});
  const auto scattered = [&](const char* op, std::initializer_list<float> expected) {
    for (const Tensor& indices : {ids, Tensor::Of<int64_t>({2, 0, 2})}) {
      CheckOp({.op = op,
               .inputs = {table, indices, rows},
               .expected_variables = {{0, Tensor::Of<float>(expected, {3, 2})}},
               .gradient_of = {{}}});
    }
  };
  scattered("ScatterAdd", {3, 6, 3, 4, 20, 34});
  scattered("ScatterSub", {-1, -2, 3, 4, -10, -22});
  scattered("ScatterMul", {2, 8, 3, 4, 250, 960});
  scattered("ScatterDiv", {0.5f, 0.5f, 3, 4, 0.1f, 0.0375f});
  scattered("ScatterMin", {1, 2, 3, 4, 5, 6});
  scattered("ScatterMax", {2, 4, 3, 4, 10, 20});
  scattered("ScatterUpdate", {2, 4, 3, 4, 5, 8});
  CheckOp({.op = "ScatterAdd",
           .inputs = {table, ids, Tensor::Scalar(1.0f)},
           .expected_variables = {{0, Tensor::Of<float>({2, 3, 3, 4, 7, 8}, {3, 2})}},
           .gradient_of = {{}}});
  CheckOp({.op = "ScatterUpdate",
           .inputs = {Tensor::Of<std::string>({"a", "b"}), Tensor::Of<int32_t>({1}),
                      Tensor::Of<std::string>({"c"})},
           .expected_variables = {{0, Tensor::Of<std::string>({"a", "c"})}}});
}

TEST(Scatter, ManyRowsKeepTheirOrder) {
  constexpr int64_t kRows = 50, kUpdates = 5000, kInner = 16;
  const Tensor table = RandomTensor(DType::kFloat32, {kRows, kInner}),
               rows = RandomTensor(DType::kFloat32, {kUpdates, kInner}, -1, 1, 2);
  const Tensor ids = RandomTensor(DType::kInt32, {kUpdates}, 0, kRows, 3);
  Tensor expected = table.Clone();
  for (int64_t i = 0; i < kUpdates; ++i) {
    for (int64_t k = 0; k < kInner; ++k) {
      expected.data<float>()[ids.data<int32_t>()[i] * kInner + k] +=
          rows.data<float>()[i * kInner + k];
    }
  }
  CheckOp({.op = "ScatterAdd",
           .inputs = {table, ids, rows},
           .expected_variables = {{0, expected}},
           .gradient_of = {{}}});
}

TEST(Scatter, RefusesWhatDoesNotFit) {
  const Tensor table(DType::kFloat32, {4, 2});
  CheckOpError({.op = "ScatterAdd",
                .inputs = {table, Tensor::Of<int32_t>({5}), Tensor(DType::kFloat32, {1, 2})},
                .text = "indices[0] = 5 is not in [0, 4)",
                .at_build = false});
  CheckOpError({.op = "ScatterAdd",
                .inputs = {table, Tensor::Of<int32_t>({1}), Tensor(DType::kFloat32, {1, 3})},
                .text = "Must have updates.shape = indices.shape + params.shape[1:]"});
  CheckOpError(
      {.op = "ScatterDiv",
       .inputs = {Tensor::Of<int32_t>({4, 2}), Tensor::Of<int32_t>({1}), Tensor::Of<int32_t>({0})},
       .text = "division by zero",
       .at_build = false});
}

TEST(ScatterNd, ChangesSlicesOfAVariable) {
  const Tensor x = Tensor::Of<float>({1, 2, 3, 4}, {2, 2}),
               at = Tensor::Of<int32_t>({1, 0, 1, 0}, {2, 2});
  const auto scattered = [&](const char* op, std::initializer_list<float> expected) {
    CheckOp({.op = op,
             .inputs = {x, at, Tensor::Of<float>({10, 20})},
             .expected_variables = {{0, Tensor::Of<float>(expected, {2, 2})}},
             .gradient_of = {{}}});
  };
  scattered("ScatterNdAdd", {1, 2, 33, 4});
  scattered("ScatterNdSub", {1, 2, -27, 4});
  scattered("ScatterNdUpdate", {1, 2, 20, 4});
}

TEST(CountUpTo, StopsAtItsLimit) {
  Graph g;
  GraphRunner runner;
  const Variable n(g, 3, {.name = "n"});
  ASSERT_TRUE(runner.RunNode(n.initializer()).ok());
  const Output count = CountUpTo(n.ref(), 5);
  EXPECT_EQ((*runner.Run({count}))[0].scalar<int32_t>(), 3);
  EXPECT_EQ((*runner.Run({count}))[0].scalar<int32_t>(), 4);
  const Status status = runner.Run({count}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_NE(Message(status).find("Reached limit of 5"), std::string_view::npos) << status;
  EXPECT_EQ((*runner.Run({n.value()}))[0].scalar<int32_t>(), 5);
}

}  // namespace
}  // namespace headrace
