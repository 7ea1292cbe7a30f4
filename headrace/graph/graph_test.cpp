#include "headrace/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/graph/testing/test_ops.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeConst;
using testing::MakeOp;
using testing::MakePlaceholder;
using testing::TestOps;

class GraphTest : public ::testing::Test {
 protected:
  Graph g_{TestOps()};

  Status Add(NodeSpec spec) { return g_.AddNode(std::move(spec)).status(); }
  Output Floats(PartialShape shape = {}, std::string_view name = "") {
    return MakePlaceholder(g_, DType::kFloat32, shape, name);
  }
  std::string ErrorOf(NodeSpec spec) {
    const Status status = Add(std::move(spec));
    EXPECT_FALSE(status.ok());
    return std::string(Message(status));
  }
};

TEST_F(GraphTest, InfersTypesDefaultsAndShapes) {
  Output x = Floats({-1, 784}, "x");
  Output w = Floats({784, 10}, "w");
  Output y = MakeOp(g_, "MatMul", {x, w});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(y.name(), "MatMul:0");
  EXPECT_EQ(y.shape().ToString(), "[?,10]");
  EXPECT_EQ(y.node->attrs().Get<DType>("T"), DType::kFloat32);
  EXPECT_EQ(y.node->attrs().Get<bool>("transpose_a"), false);
  EXPECT_EQ(y.node->input_type(1), DType::kFloat32);
  EXPECT_EQ(y.node->id(), 2);
  ASSERT_EQ(x.node->out_edges().size(), 1u);
  EXPECT_EQ(x.node->out_edges()[0].to, y.node);
  EXPECT_EQ(w.node->out_edges()[0].to_input, 1);
}

TEST_F(GraphTest, InfersLengthsOfLists) {
  Output a = Floats(), b = Floats(), c = Floats();
  EXPECT_EQ(MakeOp(g_, "Pack", {a, b, c}).node->attrs().Get<int64_t>("N"), 3);
  Output i = MakeConst(g_, Tensor::Scalar<int32_t>(1));
  Output two = MakeOp(g_, "TwoLists", {a, b, i, i});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(two.node->attrs().Get<int64_t>("N"), 2);
  Output many = MakeOp(g_, "IdentityN", {a, i});
  EXPECT_EQ(many.node->num_outputs(), 2);
  EXPECT_EQ(many.node->output_type(1), DType::kInt32);
  Output split = MakeOp(g_, "Split", {i, a}, "", {{"num_split", 3}});
  EXPECT_EQ(split.node->num_outputs(), 3);
  EXPECT_EQ(&split.node->op().OutputArg(split.node->attrs(), 2), &split.node->op().outputs()[0]);
  EXPECT_EQ(two.node->op().InputArg(two.node->attrs(), 2).name, "b");
}

TEST_F(GraphTest, SaysWhatIsWrongWithInputs) {
  Output x = Floats({2, 3}, "x");
  Output i = MakeConst(g_, Tensor::Scalar<int32_t>(1), "i");
  EXPECT_EQ(ErrorOf({.op = "Add",
                     .name = "sum",
                     .inputs = {x, i},
                     .location = Location::Of("dir/model.cpp", 41)}),
            "op 'Add' node 'sum' (model.cpp:41): input 1 ('y') has dtype int32, must be float32 "
            "like input 0 ('x')");
  EXPECT_EQ(
      ErrorOf({.op = "Add", .name = "sum", .inputs = {x, x}, .attrs = {{"T", DType::kInt32}}}),
      "op 'Add' node 'sum_1': input 0 ('x') has dtype float32, must be int32, which attribute 'T' "
      "states");
  EXPECT_THAT(ErrorOf({.op = "Add", .inputs = {x}}), HasSubstr("got 1 inputs; the op takes: x, y"));
  EXPECT_THAT(
      ErrorOf({.op = "Relu", .inputs = {i}}),
      HasSubstr(
          "input 0 ('features') has dtype int32, which is not in the list of allowed values: "));
  EXPECT_THAT(ErrorOf({.op = "MatMul", .inputs = {x, x}}),
              HasSubstr("columns of a (3) and rows of b (2) must be equal"));
  EXPECT_THAT(ErrorOf({.op = "OpenLists", .inputs = {x, x}}),
              HasSubstr("attributes 'N' and 'M' must be given"));
  EXPECT_THAT(ErrorOf({.op = "Relu", .inputs = {Output{}}}),
              HasSubstr("input 0 is no output of a node"));
  EXPECT_THAT(ErrorOf({.op = "Relu", .inputs = {Output{x.node, 1}}}),
              HasSubstr("which has 1 outputs"));
  Graph other(TestOps());
  EXPECT_THAT(ErrorOf({.op = "Relu", .inputs = {MakePlaceholder(other, DType::kFloat32, {})}}),
              HasSubstr("belongs to another graph"));
  EXPECT_EQ(g_.num_nodes(), 2);
  EXPECT_TRUE(x.node->out_edges().empty());
}

TEST_F(GraphTest, SaysWhatIsWrongWithAttributes) {
  Output x = Floats();
  EXPECT_THAT(ErrorOf({.op = "Pool", .inputs = {x}}),
              HasSubstr("attribute 'padding' (string) is missing"));
  EXPECT_THAT(ErrorOf({.op = "Pool", .inputs = {x}, .attrs = {{"padding", "FULL"}}}),
              HasSubstr("attribute 'padding' is \"FULL\"; must be one of: \"SAME\", \"VALID\""));
  EXPECT_THAT(ErrorOf({.op = "Pool", .inputs = {x}, .attrs = {{"padding", 3}}}),
              HasSubstr("attribute 'padding' must be of kind string, got 3 of kind int"));
  EXPECT_THAT(ErrorOf({.op = "Pool",
                       .inputs = {x},
                       .attrs = {{"padding", "SAME"}, {"ksize", AttrValue::Ints{1}}}}),
              HasSubstr("attribute 'ksize' has length 1; must be >= 2"));
  EXPECT_THAT(ErrorOf({.op = "Pool", .inputs = {x}, .attrs = {{"pad", "SAME"}}}),
              HasSubstr("the op has no attribute 'pad'; it has: T, padding, alpha, ksize"));
  EXPECT_THAT(ErrorOf({.op = "Split",
                       .inputs = {MakeConst(g_, Tensor::Scalar(0)), x},
                       .attrs = {{"num_split", -1}}}),
              HasSubstr("attribute 'num_split' is -1; must be >= 1"));
  Output fine = MakeOp(g_, "Pool", {x}, "", {{"padding", "SAME"}, {"alpha", 2}, {"_note", "kept"}});
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_EQ(fine.node->attrs().Get<float>("alpha"), 2.0f);
  EXPECT_EQ(fine.node->attrs().Get<std::string>("_note"), "kept");
}

TEST_F(GraphTest, NamesNearestOps) {
  EXPECT_THAT(ErrorOf({.op = "Matmul", .name = "y"}),
              HasSubstr("node 'y': there is no op 'Matmul'; did you mean 'MatMul'"));
}

TEST_F(GraphTest, ReferencesGoWhereTheyAreTakenAndValuesEverywhere) {
  Output v =
      MakeOp(g_, "VariableV2", {}, "v", {{"dtype", DType::kFloat32}, {"shape", PartialShape{2}}});
  EXPECT_EQ(v.dtype(), MakeRef(DType::kFloat32));
  Output read = MakeOp(g_, "Identity", {v}, "v/read");
  EXPECT_EQ(read.dtype(), DType::kFloat32);
  EXPECT_EQ(read.node->input_type(0), DType::kFloat32);
  Output assign = MakeOp(g_, "Assign", {v, read});
  EXPECT_EQ(assign.node->input_type(0), MakeRef(DType::kFloat32));
  EXPECT_EQ(assign.dtype(), MakeRef(DType::kFloat32));
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  EXPECT_THAT(
      ErrorOf({.op = "Assign", .inputs = {read, read}}),
      HasSubstr(
          "input 0 ('ref') must be a variable (dtype float32_ref), got a value of dtype float32"));
}

TEST_F(GraphTest, BuildersKeepTheFirstErrorAndSkipWhatFollows) {
  Output x = Floats({2, 3});
  Output bad = MakeOp(g_, "MatMul", {x, x}, "bad");
  EXPECT_FALSE(bad.valid());
  Output after = MakeOp(g_, "Relu", {bad}, "after");
  EXPECT_FALSE(after.valid());
  MakeOp(g_, "Nonsense", {});
  EXPECT_THAT(std::string(Message(g_.status())), HasSubstr("node 'bad'"));
  EXPECT_EQ(g_.num_nodes(), 1);
}

TEST_F(GraphTest, AnEmptyOutputWithoutEarlierErrorIsReported) {
  Output x = Floats();
  NodeBuilder("Add", "sum", Location()).Input(x).Input(Output()).Build();
  EXPECT_EQ(Message(g_.status()), "op 'Add' node 'sum': input 1 is no output of a node");
}

TEST_F(GraphTest, FindsOutputsByName) {
  Output x = Floats({}, "a/x");
  EXPECT_EQ(*g_.FindOutput("a/x:0"), x);
  EXPECT_EQ(*g_.FindOutput("a/x"), x);
  EXPECT_EQ(g_.FindNode("a/x"), x.node);
  EXPECT_EQ(g_.FindNode("a"), nullptr);
  EXPECT_EQ(Message(g_.FindOutput("a/y").status()),
            "the graph has no node 'a/y'; the nearest names are 'a/x'");
  EXPECT_EQ(g_.FindOutput("a/x:1").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(g_.FindOutput("a/x:z").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(g_.FindOutput("^a/x").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(GraphTest, SetInputMovesTheEdgeAndInfersAgain) {
  Output x = Floats({2, 3}), y = Floats({4, 3});
  Output relu = MakeOp(g_, "Relu", {x});
  ASSERT_TRUE(g_.SetInput(*relu.node, 0, y).ok());
  EXPECT_EQ(relu.shape().ToString(), "[4,3]");
  EXPECT_TRUE(x.node->out_edges().empty());
  ASSERT_EQ(y.node->out_edges().size(), 1u);
  EXPECT_EQ(relu.node->input(0), y);
  const Status wrong = g_.SetInput(*relu.node, 0, MakeConst(g_, Tensor::Scalar(1)));
  EXPECT_THAT(std::string(Message(wrong)), HasSubstr("has dtype int32, must be float32"));
  EXPECT_EQ(relu.node->input(0), y);
  EXPECT_FALSE(g_.SetInput(*relu.node, 1, y).ok());
}

TEST_F(GraphTest, RefinesShapesUnlessTheyDisagree) {
  Output x = Floats({-1, 3});
  ASSERT_TRUE(g_.RefineShape(x, {5, -1}).ok());
  EXPECT_EQ(x.shape().ToString(), "[5,3]");
  EXPECT_THAT(std::string(Message(g_.RefineShape(x, {6, 3}))),
              HasSubstr("shapes [5,3] and [6,3] are not compatible"));
}

TEST_F(GraphTest, SeedsAreNumberedByNodes) {
  EXPECT_EQ(g_.OpSeeds(std::nullopt), (std::pair<int64_t, int64_t>(0, 0)));
  EXPECT_EQ(g_.OpSeeds(7), (std::pair<int64_t, int64_t>(87654321, 7)));
  g_.SetSeed(0);
  EXPECT_EQ(g_.OpSeeds(0), (std::pair<int64_t, int64_t>(0, 2147483647)));
  Floats();
  Floats();
  EXPECT_EQ(g_.OpSeeds(std::nullopt), (std::pair<int64_t, int64_t>(0, 2)));
  g_.SetSeed(-1);
  EXPECT_EQ(g_.OpSeeds(1).first, 2147483646);
}

TEST_F(GraphTest, RejectsNamesThatFilesCannotHold) {
  EXPECT_THAT(ErrorOf({.op = "NoOp", .name = "a b"}), HasSubstr("'a b' is not a valid node name"));
  EXPECT_THAT(ErrorOf({.op = "NoOp", .name = "_x"}), HasSubstr("not a valid node name"));
  EXPECT_TRUE(Add({.op = "NoOp", .name = "a/"}).ok());
  EXPECT_THAT(ErrorOf({.op = "NoOp", .name = "a/"}),
              HasSubstr("Duplicate node name in graph: 'a'"));
}

TEST_F(GraphTest, CollectionsKeepOrder) {
  Output x = Floats(), y = Floats();
  g_.AddToCollection("variables", y);
  g_.AddToCollection("variables", x);
  EXPECT_THAT(g_.Collection("variables"), ElementsAre(y, x));
  EXPECT_TRUE(g_.Collection("losses").empty());
}

TEST_F(GraphTest, LargeGraphsCostTheSamePerNode) {
  Output x = Floats({16});
  for (int i = 0; i < 20000; ++i) x = MakeOp(g_, "Relu", {x});  // all of the same name
  ASSERT_TRUE(g_.status().ok());
  EXPECT_EQ(x.name(), "Relu_19999:0");
}

}  // namespace
}  // namespace headrace
