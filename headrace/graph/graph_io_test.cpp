// Graphs made by our test ops; whole files of TensorFlow 1.15 are in golden_graphs_test.cpp.
#include "headrace/graph/graph_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
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

class GraphIoTest : public ::testing::Test {
 protected:
  Graph g_{TestOps()};

  Status Import(std::string_view text, ImportOptions options = {}) {
    options.text = true;
    return ImportGraph(g_, text, options);
  }
  std::string ImportError(std::string_view text, ImportOptions options = {}) {
    const int before = g_.num_nodes();
    const Status status = Import(text, std::move(options));
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(g_.num_nodes(), before) << "a failed import left nodes behind";
    return std::string(Message(status));
  }
  std::string Export(ExportOptions options = {.text = true}) {
    return ExportGraph(g_, options).value();
  }
};

constexpr std::string_view kPlaceholders = R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } })";

TEST_F(GraphIoTest, TextIsWhatProtocolBuffersPrint) {
  Output x = MakePlaceholder(g_, DType::kFloat32, {-1, 2}, "x");
  Output c = MakeConst(g_, Tensor::Scalar<float>(0.5f), "c");
  DeviceScope device(g_, "/gpu:0");
  Node* add = MakeOp(g_, "Add", {x, c}, "sum").node;
  ASSERT_TRUE(g_.AddControlInput(*add, *MakeOp(g_, "Relu", {x}, "z").node).ok());
  ASSERT_TRUE(g_.AddControlInput(*add, *MakeOp(g_, "Relu", {x}, "a").node).ok());
  const std::string text = Export();
  EXPECT_THAT(text, HasSubstr(R"(node {
  name: "sum"
  op: "Add"
  input: "x"
  input: "c"
  input: "^a"
  input: "^z"
  device: "/device:GPU:0"
  attr {
    key: "T"
    value {
      type: DT_FLOAT
    }
  }
}
)"));
  EXPECT_THAT(text, HasSubstr(R"(      tensor {
        dtype: DT_FLOAT
        tensor_shape {
        }
        float_val: 0.5
      })"));
  EXPECT_TRUE(text.ends_with("versions {\n  producer: 134\n}\n"));
  EXPECT_THAT(Export({.text = true, .with_devices = false}), Not(HasSubstr("device:")));
  EXPECT_THAT(Export({.text = true, .with_shapes = true}), HasSubstr("_output_shapes"));
}

TEST_F(GraphIoTest, BothFormsComeBackEqual) {
  Output axis = MakeConst(g_, Tensor::Scalar<int32_t>(0), "axis");
  Output x = MakePlaceholder(g_, DType::kFloat32, {6, 2}, "x");
  Output split = MakeOp(g_, "Split", {axis, x}, "parts", {{"num_split", 3}});
  MakeOp(g_, "Add", {split.node->output(1), split.node->output(2)}, "sum");
  Output v =
      MakeOp(g_, "VariableV2", {}, "v", {{"dtype", DType::kFloat32}, {"shape", PartialShape{2}}});
  MakeOp(g_, "Assign", {v, MakeConst(g_, Tensor::Of<float>({1, 2}), "v0")}, "v/Assign",
         {{"_class", AttrValue::Strings{"loc:@v"}}});
  MakeConst(g_, Tensor::Of<std::string>({"a\n", "\xff"}), "text");
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  const std::string text = Export();
  const std::string binary = Export({});
  for (bool is_text : {true, false}) {
    Graph again(TestOps());
    const Status status = ImportGraph(again, is_text ? text : binary, {.text = is_text});
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(ExportGraph(again, {.text = true}).value(), text);
    EXPECT_EQ(ExportGraph(again).value(), binary);
    EXPECT_EQ(again.FindNode("sum")->input(1).name(), "parts:2");
    EXPECT_EQ(again.FindNode("v/Assign")->output_type(0), MakeRef(DType::kFloat32));
  }
}

TEST_F(GraphIoTest, FilesAreTextByTheirName) {
  MakePlaceholder(g_, DType::kFloat32, {6, 2}, "x");
  for (const std::string name : {"graph.pb", "graph.pbtxt", "graph.txt"}) {
    const std::string path = JoinPath(::testing::TempDir(), name);
    ASSERT_EQ(ExportGraphFile(g_, path), absl::OkStatus());
    EXPECT_EQ(ReadFile(path).value(), Export({.text = name != "graph.pb"}));
    Graph again(TestOps());
    ASSERT_EQ(ImportGraphFile(again, path), absl::OkStatus());
    EXPECT_NE(again.FindNode("x"), nullptr);
  }
  EXPECT_THAT(Message(ExportGraphFile(g_, "/nowhere/graph.pb")), HasSubstr("/nowhere/graph.pb"));
}

TEST_F(GraphIoTest, NodesMayComeInAnyOrder) {
  ASSERT_TRUE(Import(StrCat(R"(node { name: "sum" op: "Add" input: "r" input: "y:0" input: "^z" }
      node { name: "r" op: "Relu" input: "x" } node { name: "z" op: "NoOp" input: "^r" })",
                            kPlaceholders))
                  .ok());
  Node* sum = g_.FindNode("sum");
  EXPECT_EQ(sum->attrs().Get<DType>("T"), DType::kFloat32);
  EXPECT_EQ(sum->input(0).name(), "r:0");
  EXPECT_THAT(sum->control_inputs(), ElementsAre(g_.FindNode("z")));
  EXPECT_EQ(g_.node(0)->name(), "x");
  EXPECT_EQ(g_.num_nodes(), 5);
}

TEST_F(GraphIoTest, FillsDefaultsAndKeepsPrivateAttributes) {
  ASSERT_TRUE(
      Import(R"(node { name: "p" op: "Pool" input: "x" attr { key: "padding" value { s: "SAME" } }
      attr { key: "_note" value { list { } } } } node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_HALF } } })")
          .ok());
  Node* pool = g_.FindNode("p");
  EXPECT_EQ(pool->attrs().Get<float>("alpha"), 0.5f);
  EXPECT_EQ(pool->attrs().Get<AttrValue::Ints>("ksize"), (AttrValue::Ints{1, 1}));
  EXPECT_TRUE(pool->attrs().Has("_note"));
  EXPECT_THAT(Export({.text = true, .strip_defaults = true}), Not(HasSubstr("alpha")));
}

TEST_F(GraphIoTest, LoopsHaveBackEdges) {
  ASSERT_TRUE(Import(R"(
      node { name: "merge" op: "Merge" input: "enter" input: "next" }
      node { name: "next" op: "NextIteration" input: "body" }
      node { name: "body" op: "Relu" input: "merge" }
      node { name: "enter" op: "Enter" input: "x" attr { key: "frame_name" value { s: "loop" } } }
      node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
             attr { key: "shape" value { shape { dim { size: 3 } } } } })")
                  .ok());
  Node *merge = g_.FindNode("merge"), *next = g_.FindNode("next");
  EXPECT_EQ(merge->input(0).name(), "enter:0");
  EXPECT_EQ(merge->input(1).name(), "next:0");
  ASSERT_EQ(next->out_edges().size(), 1u);
  EXPECT_EQ(next->out_edges()[0].to_input, 1);
  EXPECT_EQ(g_.FindNode("enter")->out_edges().size(), 1u);
  EXPECT_FALSE(merge->output_shape(0).has_rank());  // the body may change it
  Graph again(TestOps());
  ASSERT_TRUE(ImportGraph(again, Export(), {.text = true}).ok());
  EXPECT_EQ(again.FindNode("merge")->input(1).name(), "next:0");
}

TEST_F(GraphIoTest, CyclesAreErrors) {
  EXPECT_EQ(
      ImportError(
          R"(node { name: "in" op: "NoOp" input: "^b" } node { name: "a" op: "NoOp" input: "^c" }
                node { name: "b" op: "NoOp" input: "^a" } node { name: "c" op: "NoOp" input: "^b" })"),
      "the graph has a cycle: 'b' -> 'c' -> 'a' -> 'b'; only loops may have one, from "
      "NextIteration to Merge");
  EXPECT_THAT(ImportError(R"(node { name: "a" op: "Relu" input: "a" })"),
              HasSubstr("the graph has a cycle: 'a' -> 'a'"));
  EXPECT_THAT(
      ImportError(
          R"(node { name: "m" op: "Merge" input: "n" } node { name: "n" op: "NextIteration" input: "m" })"),
      HasSubstr("all its inputs come round the loop"));
}

TEST_F(GraphIoTest, ErrorsNameNodeOpAndAttribute) {
  EXPECT_EQ(ImportError(R"(node { name: "r" op: "Relu" input: "gone:1" })"),
            "Node 'r': Unknown input node 'gone:1'");
  EXPECT_THAT(ImportError(R"(node { name: "r" op: "Relo" })"),
              HasSubstr("node 'r': there is no op 'Relo'; did you mean 'Relu'"));
  EXPECT_THAT(ImportError(R"(node { name: "r" op: "NoOp" } node { name: "r" op: "NoOp" })"),
              HasSubstr("two nodes are named 'r'"));
  EXPECT_THAT(ImportError(R"(node { name: "r" op: "Relu" input: "x:0:z" })"),
              HasSubstr("input 'x:0:z' is not of the form"));
  EXPECT_THAT(ImportError(R"(node { name: "r s" op: "NoOp" })"),
              HasSubstr("'r s' is not a valid node name"));
  EXPECT_THAT(
      ImportError(
          R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: 77 } } })"),
      HasSubstr("op 'Placeholder' node 'x', attribute 'dtype': "));
  EXPECT_THAT(ImportError(R"(node { name: "x" op: "NoOp" attr { key: "_a" value { } } })"),
              HasSubstr("op 'NoOp' node 'x', attribute '_a': the attribute has no value"));
  EXPECT_THAT(ImportError(R"(node { name: "x" op: "NoOp" attr { key: "speed" value { i: 1 } } })"),
              HasSubstr("op 'NoOp' node 'x': the op has no attribute 'speed'"));
  EXPECT_THAT(ImportError(R"(node { name: "x" op: "NoOp" device: "/gpx:0" })"),
              HasSubstr("node 'x': Unknown attribute: 'gpx'"));
  EXPECT_THAT(
      ImportError(
          R"(node { name: "x" op: "NoOp" attr { key: "_class" value { list { s: "loc:@w" } } } })"),
      HasSubstr("expects to be colocated with unknown node 'w'"));
  EXPECT_THAT(ImportError(StrCat(kPlaceholders, R"(node { name: "r" op: "Relu" input: "x:1" })")),
              HasSubstr("which has 1 outputs"));
  EXPECT_THAT(
      ImportError(StrCat(kPlaceholders, R"(node { name: "m" op: "NoOp" input: "^x" input: "y" })")),
      HasSubstr("input 'y' comes after a control input"));
  EXPECT_THAT(ImportError("versions { min_consumer: 900 }"),
              HasSubstr("needs a reader of version 900"));
  EXPECT_THAT(ImportError("node { name: 3 }"), HasSubstr("GraphDef:1:14"));
  EXPECT_THAT(ImportError(R"(node { name: "x" op: "NoOp" attr { key: "_\377" value { i: 1 } } })"),
              HasSubstr("is not UTF-8"));
  const Status damaged = ImportGraph(g_, "\x0a\xff nonsense");
  EXPECT_EQ(damaged.code(), absl::StatusCode::kDataLoss);
}

TEST_F(GraphIoTest, AFailedImportLeavesNoEdges) {
  Output x = MakePlaceholder(g_, DType::kFloat32, {2}, "x");
  ImportError(
      R"(node { name: "r" op: "Relu" input: "in" } node { name: "s" op: "Relo" input: "r" })",
      {.input_map = {{"in:0", x}}});
  EXPECT_TRUE(x.node->out_edges().empty());
  EXPECT_EQ(g_.FindNode("r"), nullptr);
}

TEST_F(GraphIoTest, PrefixesAndTakenNames) {
  ASSERT_TRUE(Import(kPlaceholders).ok());
  const std::string file = R"(node { name: "x" op: "NoOp" } node { name: "z" op: "NoOp" input: "^x"
      attr { key: "_class" value { list { s: "loc:@x" } } } })";
  ASSERT_TRUE(Import(file).ok());
  EXPECT_EQ(g_.FindNode("z")->control_inputs()[0]->name(), "x_1");
  EXPECT_THAT(g_.FindNode("z")->colocation(), ElementsAre("x_1"));
  ASSERT_TRUE(Import(file, {.prefix = "import"}).ok());
  EXPECT_THAT(g_.FindNode("import/z")->colocation(), ElementsAre("import/x"));
  ASSERT_TRUE(Import(file, {.prefix = "import"}).ok());
  EXPECT_NE(g_.FindNode("import_1/z"), nullptr);
  EXPECT_EQ(g_.UniqueName("X"), "X_2");  // imported names count, x_1 among them
  EXPECT_EQ(g_.name_scope(), "");
}

TEST_F(GraphIoTest, InputsAndDevicesAreMapped) {
  Output x = MakePlaceholder(g_, DType::kFloat32, {2}, "mine");
  ASSERT_TRUE(
      Import(R"(node { name: "r" op: "Relu" input: "x" device: "/job:ps/task:1/gpu:3" }
                        node { name: "s" op: "Relu" input: "r" device: "/cpu:0" } node { name: "t" op: "NoOp" })",
             {.input_map = {{"x", x}}, .device_map = {{"/gpu:*", "/cpu:0"}, {"/cpu:0", "/gpu:1"}}})
          .ok());
  EXPECT_EQ(g_.FindNode("r")->input(0), x);
  EXPECT_EQ(g_.FindNode("r")->output_shape(0).ToString(), "[2]");
  EXPECT_EQ(g_.FindNode("r")->requested_device(), "/job:ps/task:1/device:CPU:0");
  EXPECT_EQ(g_.FindNode("s")->requested_device(), "/device:GPU:1");  // the first match only
  EXPECT_EQ(g_.FindNode("t")->requested_device(), "");
}

TEST_F(GraphIoTest, KeepsFunctions) {
  const std::string library = R"(library { function { signature { name: "f" } } })";
  ASSERT_TRUE(Import(library).ok());
  ASSERT_TRUE(Import(library).ok());
  EXPECT_THAT(Export(), HasSubstr("function {\n    signature {\n      name: \"f\"\n"));
  EXPECT_THAT(ImportError(R"(library { function { signature { name: "f" summary: "other" } } })"),
              HasSubstr("the graph has another function 'f'"));
}

TEST_F(GraphIoTest, OutputShapesRefine) {
  const std::string shape =
      R"(attr { key: "_output_shapes" value { list { shape { dim { size: 4 } } } } })";
  ASSERT_TRUE(
      Import(
          StrCat(
              R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } )",
              shape, "}"))
          .ok());
  EXPECT_EQ(g_.FindNode("x")->output_shape(0).ToString(), "[4]");
  EXPECT_THAT(ImportError(StrCat(R"(node { name: "n" op: "NoOp" )", shape, "}")),
              HasSubstr("must be a list of 0 shapes"));
}

TEST_F(GraphIoTest, AConstantBeyondTheLimitIsNamed) {
  // Never touched: it costs address space only.
  const Shape shape{3, 1 << 28};
  Tensor huge = Tensor::Allocate(HostAllocator(), DType::kFloat32, shape).value();
  MakeConst(g_, huge, "small/../huge");
  MakeConst(g_, Tensor::Scalar(1.0f), "small");
  const Status status = ExportGraph(g_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("'small/../huge'"));
  EXPECT_THAT(std::string(Message(status)), HasSubstr("3.0 GiB"));
}

TEST_F(GraphIoTest, MemoryForRepeatedValuesIsBounded) {
  auto constant = [](const char* name) {
    return StrCat(
        R"(node { name: ")", name,
        R"(" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value {
      tensor { dtype: DT_FLOAT tensor_shape { dim { size: 1000 } } float_val: 1 } } } })");
  };
  EXPECT_TRUE(Import(constant("a"), {.max_repeated_bytes = 6000}).ok());
  EXPECT_THAT(ImportError(constant("b") + constant("c"), {.max_repeated_bytes = 6000}),
              HasSubstr("node 'c', attribute 'value'"));
}

TEST_F(GraphIoTest, FilledTensorsAreWrittenOnce) {
  MakeConst(g_, Tensor::Of<float>({0.5f, 0.5f, 0.5f}), "filled");
  EXPECT_THAT(Export(), HasSubstr("      float_val: 0.5\n"));
  MakeConst(g_, Tensor::Of<int32_t>({1, 1}), "shape");
  EXPECT_THAT(Export(), HasSubstr(R"(tensor_content: "\001\000\000\000\001\000\000\000")"));
  Graph again(TestOps());
  ASSERT_TRUE(ImportGraph(again, Export({})).ok());
  EXPECT_EQ(again.FindNode("filled")->attrs().Get<Tensor>("value").ToString(),
            "float32 [3] {0.5, 0.5, 0.5}");
}

TEST_F(GraphIoTest, OpDefinitionsAsMessages) {
  const std::string text = ExportOps(TestOps(), true).value();
  EXPECT_THAT(
      text,
      HasSubstr("name: \"MatMul\"\n  input_arg {\n    name: \"a\"\n    type_attr: \"T\"\n  }"));
  EXPECT_THAT(text, HasSubstr("number_attr: \"N\""));
  EXPECT_THAT(text, HasSubstr("is_ref: true"));
}

}  // namespace
}  // namespace headrace
