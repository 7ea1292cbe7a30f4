// Functions made by our test ops; what TensorFlow 1.15 wrote is run in session/function_test.cpp.
#include "headrace/graph/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/graph/graph_io.h"
#include "headrace/graph/testing/test_ops.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MakeConst;
using testing::MakeOp;
using testing::MakePlaceholder;
using ::testing::Not;
using testing::TestOps;

class FunctionTest : public ::testing::Test {
 protected:
  Graph g_{TestOps()};

  // relu(args_0 + captured)
  void AddShift(std::string_view name) {
    FunctionBuilder f(g_, name);
    const Output x = f.Argument(DType::kFloat32, {-1, 2});
    const Output shift = f.Capture(MakeConst(g_, Tensor::Scalar(0.5f), "shift"));
    EXPECT_TRUE(
        f.Finish({MakeOp(f.graph(), "Relu", {MakeOp(f.graph(), "Add", {x, shift}, "sum")}, "out")})
            .ok());
  }
};

TEST_F(FunctionTest, ComesBackFromItsLibraryAsItWas) {
  AddShift("shift_up");
  const Function f = ImportFunction(g_, "shift_up").value();
  EXPECT_EQ(f.signature.name, "shift_up");
  ASSERT_EQ(f.signature.arguments.size(), 2u);
  EXPECT_EQ(f.signature.arguments[0].name(), "args_0:0");
  EXPECT_EQ(f.signature.arguments[0].shape(), PartialShape({-1, 2}));
  EXPECT_EQ(f.signature.arguments[1].name(), "shift:0");
  ASSERT_EQ(f.signature.results.size(), 1u);
  EXPECT_EQ(f.signature.results[0].node->op_name(), "Relu");
  EXPECT_EQ(f.signature.results[0].node->input(0).node->input(1), f.signature.arguments[1]);
}

TEST_F(FunctionTest, KeepsWhereItsNodesWereMadeButNotInFiles) {
  FunctionBuilder f(g_, "f");
  const Output x = f.Argument(DType::kFloat32, {});
  NodeSpec spec{
      .op = "Relu", .name = "r", .inputs = {x}, .location = Location::Of("/home/me/model.py", 41)};
  Node* relu = f.graph().AddNode(std::move(spec)).value();
  ASSERT_TRUE(f.Finish({relu->output(0)}).ok());
  EXPECT_EQ(ImportFunction(g_, "f")->graph->FindNode("r")->location().ToString(), "model.py:41");
  EXPECT_THAT(ExportGraph(g_, {.text = true}).value(), Not(HasSubstr("model.py")));
}

TEST_F(FunctionTest, IsWrittenAsTensorFlowWritesIt) {
  AddShift("f");
  const std::string text = ExportGraph(g_, {.text = true}).value();
  EXPECT_THAT(text, HasSubstr("input: \"sum:z:0\""));
  EXPECT_THAT(text, HasSubstr("input: \"args_0\""));
  EXPECT_THAT(text, HasSubstr("key: \"out\"\n      value: \"out:activations:0\""));
  Graph again(TestOps());
  ASSERT_TRUE(ImportGraph(again, text, {.text = true}).ok());
  EXPECT_EQ(ExportGraph(again, {.text = true}).value(), text);
}

TEST_F(FunctionTest, NamesAreMadeUnique) {
  AddShift("f");
  FunctionBuilder f(g_, "f");
  const Output x = f.Argument(DType::kFloat32, {});
  EXPECT_EQ(f.Finish({x})->name, "f_1");
  EXPECT_TRUE(HasFunction(g_, "f_1"));
  EXPECT_FALSE(HasFunction(g_, "f_2"));
}

TEST_F(FunctionTest, SameValueIsCapturedOnce) {
  FunctionBuilder f(g_, "f");
  const Output c = MakeConst(g_, Tensor::Scalar(0.5f), "c");
  EXPECT_EQ(f.Capture(c), f.Capture(c));
  EXPECT_THAT(f.captures(), ElementsAre(c));
}

TEST_F(FunctionTest, ValuesOfTheOuterGraphMustBeCaptured) {
  FunctionBuilder f(g_, "f");
  const auto made = f.Finish({MakeConst(g_, Tensor::Scalar(0.5f), "c")});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(std::string(Message(made.status())),
              HasSubstr("function 'f': 'c:0' is a result and not of the body: values of the outer "
                        "graph must be captured"));
}

TEST_F(FunctionTest, UnknownNameListsWhatThereIs) {
  AddShift("f");
  EXPECT_EQ(std::string(Message(ImportFunction(g_, "g").status())),
            "the graph has no function 'g'; it has f");
}

struct BadBody {
  const char* body;
  const char* error;
};
class BadFunction : public ::testing::TestWithParam<BadBody> {};

TEST_P(BadFunction, IsRefusedWithItsReason) {
  Graph g(TestOps());
  const std::string text =
      StrCat("library { function { signature { name: 'f' input_arg { name: 'x' type: DT_FLOAT } ",
             "output_arg { name: 'y' type: DT_FLOAT } } ", GetParam().body, " } }");
  ASSERT_TRUE(ImportGraph(g, text, {.text = true}).ok());
  const auto function = ImportFunction(g, "f");
  ASSERT_FALSE(function.ok());
  EXPECT_THAT(std::string(Message(function.status())), HasSubstr(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, BadFunction,
    ::testing::Values(
        BadBody{"", "function 'f': nothing is returned as 'y'"},
        BadBody{"ret { key: 'y' value: 'z:o:0' }", "its input 'z:o:0' is not in the function"},
        BadBody{
            "node_def { name: 'r' op: 'Relu' input: 'x' } ret { key: 'y' value: 'r:nothing:0' }",
            "op 'Relu' has no output 'nothing'"},
        BadBody{"node_def { name: 'r' op: 'Relu' input: 'x' } ret { key: 'y' value: "
                "'r:activations:7' }",
                "output 'activations' of op 'Relu' has 1 elements, element 7 is wanted"},
        BadBody{"node_def { name: 'r' op: 'Relu' input: 'x' } ret { key: 'y' value: "
                "'r:activations:-1' }",
                "is no name of a value"},
        BadBody{"node_def { name: 'r' op: 'Relu' input: 'r:activations:0' } ret { key: 'y' value: "
                "'x' }",
                "cycle"},
        BadBody{"ret { key: 'y' value: 'x' } control_ret { key: 'a' value: 'b' }",
                "'b' of control_ret is not in the function"}));

}  // namespace
}  // namespace headrace
