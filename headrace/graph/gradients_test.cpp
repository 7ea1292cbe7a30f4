// Structure of the nodes that differentiation adds; expected names and edges are TensorFlow 1.15's.
// That the gradients of ops are right is tested with the ops.
#include "headrace/graph/gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/graph/testing/test_ops.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeConst;
using testing::MakeOp;
using testing::MakePlaceholder;
using testing::TestOps;

class GradientsTest : public ::testing::Test {
 protected:
  Graph g_{TestOps()};

  Output Floats(PartialShape shape, std::string_view name) {
    return MakePlaceholder(g_, DType::kFloat32, shape, name);
  }
  // "op name inputs" of the nodes made since `first`.
  std::vector<std::string> Added(int first) {
    std::vector<std::string> lines;
    for (int i = first; i < g_.num_nodes(); ++i) {
      const Node& node = *g_.node(i);
      std::vector<std::string> inputs;
      for (const Output& input : node.inputs())
        inputs.push_back(input.index == 0 ? input.node->name() : input.name());
      for (const Node* control : node.control_inputs()) inputs.push_back("^" + control->name());
      for (const std::string& group : node.colocation()) inputs.push_back("@" + group);
      if (!node.requested_device().empty()) inputs.push_back(node.requested_device());
      lines.push_back(StrCat(node.op_name(), " ", node.name(), "(", StrJoin(inputs, ", "), ")"));
    }
    return lines;
  }
};

TEST_F(GradientsTest, OfAProduct) {
  Output x = Floats({2, 3}, "x"), y = Floats({2, 3}, "y");
  Output m = MakeOp(g_, "Mul", {x, y}, "m");
  std::vector<Gradient> grads = Gradients(m, {x, y});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_THAT(Added(3), ElementsAre("Const gradients/Shape()", "Const gradients/grad_ys_0()",
                                    "Fill gradients/Fill(gradients/Shape, gradients/grad_ys_0)",
                                    "Mul gradients/m_grad/Mul(gradients/Fill, y)",
                                    "Mul gradients/m_grad/Mul_1(x, gradients/Fill)"));
  EXPECT_EQ(grads[0].dense.name(), "gradients/m_grad/Mul:0");
  EXPECT_EQ(grads[1].dense.name(), "gradients/m_grad/Mul_1:0");
  EXPECT_EQ(g_.FindNode("gradients/Shape")->attrs().Get<Tensor>("value").ToString(),
            "int32 [2] {2, 3}");
  EXPECT_EQ(g_.FindNode("gradients/grad_ys_0")->attrs().Get<Tensor>("value").ToString(),
            "float32 [] {1}");
}

TEST_F(GradientsTest, UnknownShapesAreTakenAtRunTime) {
  Output x = Floats({-1}, "x");
  Gradients(MakeOp(g_, "Relu", {x}), {x});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(Added(2)[0], "Shape gradients/Shape(Relu)");
  EXPECT_EQ(g_.FindOutput("gradients/Fill")->shape().ToString(), "[?]");
}

TEST_F(GradientsTest, TermsAddUpWhereTheFirstIs) {
  Output x = Floats({2}, "x");
  Output m = MakeOp(g_, "Mul", {x, x}, "m");
  std::vector<Gradient> grads = Gradients(m, {x});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(
      Added(2).back(),
      "AddN gradients/AddN(gradients/m_grad/Mul, gradients/m_grad/Mul_1, @gradients/m_grad/Mul)");
  EXPECT_EQ(grads[0].dense.name(), "gradients/AddN:0");
}

TEST_F(GradientsTest, TermsAddUpPerDeviceFirst) {
  Output x = Floats({-1}, "x");
  std::vector<Output> ys;
  for (const char* name : {"a", "b", "c", "d"}) {
    DeviceScope device(g_, *name == 'a' ? "/gpu:0" : *name == 'b' ? "/gpu:1" : "");
    ys.push_back(MakeOp(g_, "Relu", {x}, name));
  }
  const int first = g_.num_nodes();
  std::vector<Gradient> grads = Gradients(ys, std::vector{x}, {.colocate_with_ops = true});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  const std::vector<std::string> added = Added(first);
  EXPECT_EQ(added[0], "Shape gradients/Shape(a, @a, /device:GPU:0)");
  EXPECT_EQ(added[added.size() - 2], "AddN gradients/AddN(gradients/Fill_2, gradients/Fill_3, @c)");
  EXPECT_EQ(added.back(),
            "AddN gradients/AddN_1(gradients/AddN, gradients/Fill, gradients/Fill_1, @x)");
  EXPECT_EQ(grads[0].dense.name(), "gradients/AddN_1:0");
}

TEST_F(GradientsTest, YsMayDependOnEachOther) {
  Output x = Floats({2}, "x");
  Output a = MakeOp(g_, "Relu", {x}, "a");
  Output b = MakeOp(g_, "Relu", {a}, "b");
  std::vector<Gradient> grads = Gradients(std::vector{a, b}, std::vector{x});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(grads[0].dense.node->op_name(), "AddN");
  EXPECT_THAT(grads[0].dense.node->inputs(),
              ElementsAre(*g_.FindOutput("gradients/Fill"), *g_.FindOutput("gradients/Fill_1")));
  std::vector<Gradient> self = Gradients(x, {x});
  EXPECT_EQ(self[0].dense.name(), "gradients_1/Fill:0");
}

TEST_F(GradientsTest, AnXAboveAnotherIsReached) {
  Output x = Floats({2}, "x");
  Output a = MakeOp(g_, "Relu", {x}, "a");
  Output m = MakeOp(g_, "Mul", {a, a}, "m");
  std::vector<Gradient> both = Gradients(m, {x, a});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_TRUE(both[0].connected());
  EXPECT_TRUE(both[1].connected());
  // Asked for alone, a ends the way.
  std::vector<Gradient> one = Gradients(m, {a});
  EXPECT_TRUE(one[0].connected());
}

TEST_F(GradientsTest, GivenGradientsOfYs) {
  Output x = Floats({2}, "x"), w = Floats({2}, "w");
  Output y = MakeOp(g_, "Mul", {x, x}, "m"), z = MakeOp(g_, "Relu", {x});
  std::vector<Gradient> grads =
      Gradients(std::vector{y, z}, std::vector{x}, {.grad_ys = {w, Output()}});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(Added(4)[0], "Identity gradients/grad_ys_0(w)");
  EXPECT_EQ(Added(4)[2], "Const gradients/grad_ys_1()");
  EXPECT_TRUE(grads[0].connected());
}

TEST_F(GradientsTest, WhatIsNotConnected) {
  Output x = Floats({2}, "x"), i = MakePlaceholder(g_, DType::kInt32, {}, "i");
  Output floor = MakeOp(g_, "Floor", {x}, "f");
  Output away = Floats({2}, "away");
  EXPECT_FALSE(Gradients(floor, {x})[0].connected());
  EXPECT_FALSE(Gradients(MakeOp(g_, "StopGradient", {x}), {x})[0].connected());
  EXPECT_FALSE(Gradients(floor, {away})[0].connected());
  Output relu = MakeOp(g_, "Relu", {x});
  EXPECT_FALSE(
      Gradients(MakeOp(g_, "Relu", {relu}), {x}, {.stop_gradients = {relu}})[0].connected());
  // Integers end the way without an error, even into an op that has no gradient.
  Output index = MakeOp(g_, "ArgMax", {x}, "best");
  Output back = MakeOp(g_, "Cast", {index}, "back", {{"DstT", DType::kFloat32}});
  EXPECT_FALSE(Gradients(back, {x})[0].connected());
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  std::vector<Gradient> zeros = Gradients(floor, {x, i}, {.zeros_if_unconnected = true});
  EXPECT_EQ(zeros[0].dense.node->op_name(), "ZerosLike");
  EXPECT_EQ(zeros[1].dense.value_dtype(), DType::kInt32);
}

TEST_F(GradientsTest, WhyUnconnectedNamesTheEnd) {
  Output x = Floats({2}, "x"), other = Floats({2}, "other");
  Output floor = MakeOp(g_, "Floor", {MakeOp(g_, "Relu", {x}, "r")}, "f");
  Output index = MakeOp(g_, "ArgMax", {x}, "best");
  Output back = MakeOp(g_, "Cast", {index}, "back", {{"DstT", DType::kFloat32}});
  EXPECT_EQ(WhyUnconnected(std::vector{floor}, x), "'Floor' node 'f' has no gradient");
  EXPECT_EQ(WhyUnconnected(std::vector{floor, back}, x),
            "'Floor' node 'f' has no gradient; 'ArgMax' node 'best' gives int64, which carries no "
            "gradient");
  EXPECT_EQ(WhyUnconnected(std::vector{floor}, other), "no y is computed from 'other:0'");
  EXPECT_THAT(WhyUnconnected(std::vector{MakeOp(g_, "Relu", {x})}, x),
              HasSubstr("is connected to a y"));
}

TEST_F(GradientsTest, OutputsWithoutGradientCountAsZeros) {
  Output x = Floats({6}, "x");
  Output axis = MakeConst(g_, Tensor::Scalar<int32_t>(0), "axis");
  Node* split = MakeOp(g_, "Split", {axis, x}, "s", {{"num_split", 3}}).node;
  std::vector<Gradient> grads = Gradients(split->output(1), {x});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_THAT(Added(3), ElementsAre("Shape gradients/Shape(s:1)", "Const gradients/grad_ys_0()",
                                    "Fill gradients/Fill(gradients/Shape, gradients/grad_ys_0)",
                                    "ZerosLike gradients/zeros_like(s)",
                                    "ZerosLike gradients/zeros_like_1(s:2)",
                                    "ConcatV2 gradients/s_grad/concat(gradients/zeros_like, "
                                    "gradients/Fill, gradients/zeros_like_1, axis)"));
  EXPECT_EQ(grads[0].dense.shape().ToString(), "[6]");  // of x, though the op does not say
}

TEST_F(GradientsTest, SlicesStaySlices) {
  Output w = Floats({10, 4}, "w"), i = MakePlaceholder(g_, DType::kInt32, {3}, "i"),
         j = MakePlaceholder(g_, DType::kInt64, {2}, "j");
  Output a = MakeOp(g_, "Gather", {w, i}, "a"), b = MakeOp(g_, "Gather", {w, j}, "b");
  std::vector<Gradient> one = Gradients(a, {w});
  ASSERT_TRUE(one[0].slices.has_value());
  EXPECT_EQ(one[0].slices->indices, i);
  const int first = g_.num_nodes();
  std::vector<Gradient> two = Gradients(std::vector{a, b}, std::vector{w});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  ASSERT_TRUE(two[0].slices.has_value());
  const std::vector<std::string> added = Added(first);
  EXPECT_THAT(
      std::vector(added.end() - 5, added.end()),
      ElementsAre("Cast gradients_1/Cast(i)", "Const gradients_1/concat/axis()",
                  "ConcatV2 gradients_1/concat(gradients_1/Fill, gradients_1/Fill_1, "
                  "gradients_1/concat/axis)",
                  "Const gradients_1/concat_1/axis()",
                  "ConcatV2 gradients_1/concat_1(gradients_1/Cast, j, gradients_1/concat_1/axis)"));
  EXPECT_EQ(two[0].slices->values.name(), "gradients_1/concat:0");
}

TEST_F(GradientsTest, SlicesAndDenseTermsBecomeDense) {
  Output w = Floats({10, 4}, "w"), i = MakePlaceholder(g_, DType::kInt32, {3}, "i");
  Output a = MakeOp(g_, "Gather", {w, i}, "a"), b = MakeOp(g_, "Identity", {w}, "b");
  const int first = g_.num_nodes();
  std::vector<Gradient> grads = Gradients(std::vector{a, b}, std::vector{w});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  const std::vector<std::string> added = Added(first);
  EXPECT_THAT(
      std::vector(added.end() - 6, added.end()),
      ElementsAre("Const gradients/AddN/strided_slice/stack()",
                  "Const gradients/AddN/strided_slice/stack_1()",
                  "Const gradients/AddN/strided_slice/stack_2()",
                  "StridedSlice gradients/AddN/strided_slice(gradients/a_grad/Shape, "
                  "gradients/AddN/strided_slice/stack, "
                  "gradients/AddN/strided_slice/stack_1, gradients/AddN/strided_slice/stack_2)",
                  "UnsortedSegmentSum gradients/AddN/inputs_0(gradients/Fill, i, "
                  "gradients/AddN/strided_slice)",
                  "AddN gradients/AddN(gradients/AddN/inputs_0, gradients/Fill_1)"));
  EXPECT_EQ(grads[0].dense.name(), "gradients/AddN:0");
}

TEST_F(GradientsTest, DenseOfSlices) {
  Output w = Floats({10, 4}, "w"), i = MakePlaceholder(g_, DType::kInt32, {3}, "i");
  Gradient grad = Gradients(MakeOp(g_, "Gather", {w, i}), {w})[0];
  EXPECT_EQ(grad.Dense().node->op_name(), "UnsortedSegmentSum");
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  grad.slices->dense_shape = Output();
  EXPECT_FALSE(grad.Dense().valid());
  EXPECT_THAT(std::string(Message(g_.status())), HasSubstr("dense_shape is not known"));
  EXPECT_FALSE(Gradient().Dense().valid());
}

TEST_F(GradientsTest, GatedGradientsWaitForEachOther) {
  Output x = Floats({-1}, "x"), y = Floats({-1}, "y"), m;
  {
    DeviceScope device(g_, "/gpu:1");
    m = MakeOp(g_, "Mul", {x, y}, "m");
  }
  std::vector<Gradient> grads =
      Gradients(m, {x, y}, {.colocate_with_ops = true, .gate_gradients = true});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  const std::vector<std::string> added = Added(3);
  EXPECT_THAT(
      std::vector(added.end() - 3, added.end()),
      ElementsAre("NoOp gradients/m_grad/tuple/group_deps(^gradients/m_grad/Mul, "
                  "^gradients/m_grad/Mul_1, /device:GPU:1)",
                  "Identity gradients/m_grad/tuple/control_dependency(gradients/m_grad/Mul, "
                  "^gradients/m_grad/tuple/group_deps, @m, /device:GPU:1)",
                  "Identity gradients/m_grad/tuple/control_dependency_1(gradients/m_grad/Mul_1, "
                  "^gradients/m_grad/tuple/group_deps, @m, /device:GPU:1)"));
  EXPECT_EQ(grads[0].dense.name(), "gradients/m_grad/tuple/control_dependency:0");
}

TEST_F(GradientsTest, GradientsOfGradients) {
  Output x = Floats({2}, "x");
  Output cube = MakeOp(g_, "Mul", {MakeOp(g_, "Mul", {x, x}), x});
  Output first = Gradients(cube, {x})[0].dense;
  // AddN has no gradient in these ops: differentiate one of its terms.
  Output term = first.node->input(0);
  Gradient second = Gradients(term, {x}, {.name = "second"})[0];
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  ASSERT_TRUE(second.connected());
  EXPECT_THAT(second.dense.name(), HasSubstr("second/"));
}

TEST_F(GradientsTest, Errors) {
  Output x = Floats({2, 2}, "x");
  auto error = [&](auto make) {
    Graph g(TestOps());
    Output in = MakePlaceholder(g, DType::kFloat32, {2, 2}, "x");
    Output y = make(g, in);
    std::vector<Gradient> grads = Gradients(y, {in});
    EXPECT_EQ(grads.size(), 1u);
    EXPECT_FALSE(grads[0].connected());
    return std::string(Message(g.status()));
  };
  EXPECT_THAT(error([](Graph& g, Output in) {
                return MakeOp(g, "MatMul", {in, in}, "mm");
              }),
              HasSubstr("No gradient defined for operation 'mm' (op type: MatMul)"));
  EXPECT_THAT(error([](Graph& g, Output in) { return MakeOp(g, "Fails", {in}, "bad"); }),
              HasSubstr("gradient of op 'Fails' node 'bad'"));
  EXPECT_THAT(error([](Graph& g, Output in) { return MakeOp(g, "ArgMax", {in}, "best"); }),
              HasSubstr("has dtype int64"));
  EXPECT_THAT(error([](Graph& g, Output in) {
                return MakeOp(g, "Cast", {in}, "c", {{"DstT", DType::kComplex64}});
              }),
              HasSubstr("must be given in grad_ys"));
  EXPECT_THAT(error([](Graph& g, Output in) {
                return MakeOp(g, "Enter", {in}, "e", {{"frame_name", "f"}});
              }),
              HasSubstr("gradients through a loop"));
  EXPECT_EQ(error([](Graph&, Output) { return Output(); }),
            "Gradients: ys[0] is no output of a node");
  Gradients(x, {x}, {.grad_ys = {x, x}});
  EXPECT_EQ(Message(g_.status()), "Passed 2 grad_ys for 1 ys");
}

TEST_F(GradientsTest, AShapeThatCannotBeIsReported) {
  Output x = Floats({2, 1}, "x"), y = Floats({1, 3}, "y");
  Gradients(MakeOp(g_, "Mul", {x, y}, "outer"),
            {x});  // these ops do not sum over what they broadcast
  EXPECT_THAT(std::string(Message(g_.status())),
              HasSubstr("Incompatible shapes between op input and calculated input gradient.  "
                        "Forward operation: outer."));
}

TEST_F(GradientsTest, NothingAfterAnEarlierError) {
  Output x = Floats({2}, "x");
  g_.ReportError(InvalidArgument("earlier"));
  EXPECT_FALSE(Gradients(x, {x})[0].connected());
  EXPECT_EQ(Message(g_.status()), "earlier");
}

TEST_F(GradientsTest, WorkIsLinear) {
  Output x = Floats({4}, "x"), y = x;
  for (int i = 0; i < 20000; ++i) y = MakeOp(g_, i % 2 == 0 ? "Add" : "Mul", {y, x});
  std::vector<Gradient> grads = Gradients(y, {x});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(grads[0].dense.node->num_inputs(), 20001);
}

}  // namespace
}  // namespace headrace
