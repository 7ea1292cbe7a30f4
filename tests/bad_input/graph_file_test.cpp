// Graph files that are damaged, cut short, or say what cannot be: an error with node, op and
// attribute, and the graph is as it was.
#include "tests/bad_input/expect.h"

namespace headrace::bad_input {
namespace {

constexpr std::string_view kX =
    R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } })";

TEST(BadInput, GraphsAsText) {
  struct Case {
    const char* what;
    std::string text;
    absl::StatusCode code;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {"an unknown op",
       R"(node { name: "r" op: "Relo" })",
       kNotFound,
       {"node 'r'", "'Relo'", "'Relu'"}},
      {"an unknown input",
       R"(node { name: "r" op: "Relu" input: "gone:1" })",
       kInvalid,
       {"'r'", "'gone:1'"}},
      {"an unknown control input",
       R"(node { name: "r" op: "NoOp" input: "^gone" })",
       kInvalid,
       {"'r'", "gone"}},
      {"an attribute that the op has not",
       R"(node { name: "n" op: "NoOp" attr { key: "speed" value { i: 1 } } })",
       kInvalid,
       {"op 'NoOp' node 'n'", "'speed'"}},
      {"an attribute of another kind",
       R"(node { name: "p" op: "Placeholder" attr { key: "dtype" value { s: "float" } } })",
       kInvalid,
       {"node 'p'", "dtype"}},
      {"no such dtype",
       R"(node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: 77 } } })",
       kInvalid,
       {"node 'p'", "'dtype'"}},
      {"a dtype that the op does not take",
       StrCat(
           R"(node { name: "t" op: "Const" attr { key: "dtype" value { type: DT_STRING } } attr { key: "value" value {
         tensor { dtype: DT_STRING tensor_shape { } string_val: "a" } } } } node { name: "r" op: "Relu" input: "t" })"),
       kInvalid,
       {"node 'r'", "string"}},
      {"a dtype that its input has not",
       StrCat(
           kX,
           R"(node { name: "r" op: "Relu" input: "x" attr { key: "T" value { type: DT_INT32 } } })"),
       kInvalid,
       {"node 'r'", "float32", "int32"}},
      {"a constant of another dtype",
       R"(node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value {
         tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } })",
       kInvalid,
       {"node 'c'", "int32", "float32"}},
      {"a constant with too many values",
       R"(node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value {
         tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 float_val: 2 } } } })",
       kInvalid,
       {"node 'c'", "'value'"}},
      {"a constant with a negative dimension",
       R"(node { name: "c" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value {
         tensor { dtype: DT_FLOAT tensor_shape { dim { size: -5 } } } } } })",
       kInvalid,
       {"node 'c'", "'value'"}},
      {"shapes that disagree",
       R"(node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "shape" value {
            shape { dim { size: 2 } dim { size: 3 } } } } }
          node { name: "m" op: "MatMul" input: "a" input: "a" })",
       kInvalid,
       {"node 'm'", "3", "2"}},
      {"too few inputs",
       StrCat(kX, R"(node { name: "m" op: "MatMul" input: "x" })"),
       kInvalid,
       {"node 'm'"}},
      {"an output that the node has not",
       StrCat(kX, R"(node { name: "r" op: "Relu" input: "x:1" })"),
       kInvalid,
       {"x", "1 outputs"}},
      {"a cycle",
       R"(node { name: "a" op: "Relu" input: "b" } node { name: "b" op: "Relu" input: "a" })",
       kInvalid,
       {"cycle", "'a' -> 'b'"}},
      {"a node that is its own input",
       R"(node { name: "a" op: "Relu" input: "a" })",
       kInvalid,
       {"'a' -> 'a'"}},
      {"a cycle of control inputs",
       R"(node { name: "a" op: "NoOp" input: "^a" })",
       kInvalid,
       {"cycle"}},
      {"two nodes of one name",
       R"(node { name: "n" op: "NoOp" } node { name: "n" op: "NoOp" })",
       kInvalid,
       {"'n'"}},
      {"a node without a name", R"(node { op: "NoOp" })", kInvalid, {"''"}},
      {"a bad name", R"(node { name: "a b" op: "NoOp" })", kInvalid, {"'a b'"}},
      {"a bad device",
       R"(node { name: "n" op: "NoOp" device: "/tpu:x" })",
       kInvalid,
       {"'n'", "tpu"}},
      {"a later version", R"(versions { min_consumer: 9000 })", kInvalid, {"9000"}},
      {"no graph", "once upon a time", kInvalid, {":1:"}},
      {"a brace too few", "node { name: \"n\" ", kInvalid, {":1:"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    Graph g;
    Output before = Const(g, 1.0f, {.name = "before"});
    ExpectError(ImportGraph(g, c.text, {.text = true}), c.code, c.parts);
    EXPECT_EQ(g.num_nodes(), 1);
    EXPECT_TRUE(MakeSession(g)->Run({}, {before}).ok());
  }
}

TEST(BadInput, ArgumentsOfImport) {
  Graph g, other;
  Output foreign = Const(other, 1.0f, {.name = "foreign"});
  const std::string uses = R"(node { name: "r" op: "Relu" input: "in" })";
  ExpectError(ImportGraph(g, uses, {.input_map = {{"in", foreign}}, .text = true}), kInvalid,
              {"input_map['in']", "no output of the graph"});
  ExpectError(ImportGraph(g, uses, {.input_map = {{"in", Output()}}, .text = true}), kInvalid,
              {"'in'"});
  ExpectError(ImportGraph(g, kX, {.prefix = "a b", .text = true}), kInvalid, {"a b"});
  ExpectError(ImportGraph(g, R"(node { name: "n" op: "NoOp" device: "/gpu:0" })",
                          {.device_map = {{"/gpu:0", "/tpu:x"}}, .text = true}),
              kInvalid, {"tpu"});
  ExpectError(ImportGraphFile(g, "/nowhere/model.pb"), kNotFound, {"/nowhere/model.pb"});
  ExpectError(ImportGraphFile(g, "/"), kInvalid, {"'/'"});
  EXPECT_EQ(g.num_nodes(), 0);
}

// A whole training graph with every byte changed, and cut short everywhere: an error, or a graph
// that can be run or refuses to.
TEST(BadInput, DamagedGraphFiles) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1, 2}, {.name = "x"});
  Variable w(g, Tensor::Of<float>({1, 2}, {2, 1}), {.name = "w"});
  Output loss = ReduceMean(Square(MatMul(x, w)), {}, {.name = "loss"});
  Node* train = MomentumOptimizer(0.1, 0.9).Minimize(loss);
  ASSERT_NE(train, nullptr) << g.status();
  Node* init = GlobalVariablesInitializer(g);
  const std::string bytes = ExportGraph(g).value();
  const Tensor rows = Tensor::Of<float>({1, 2}, {1, 2});
  int errors = 0, tried = 0;
  const auto use = [&](const std::string& damaged) {
    ++tried;
    Graph copy;
    const Status imported = ImportGraph(copy, damaged, {.max_repeated_bytes = 1 << 20});
    if (!imported.ok()) {
      ++errors;
      EXPECT_EQ(copy.num_nodes(), 0) << imported;
      EXPECT_NE(Message(imported), "");
      return;
    }
    if (tried % 8 != 0) return;
    SessionOptions options;
    options.devices.threads = 1;
    options.allow_soft_placement = true;
    auto session = Session::Create(copy, options);
    if (!session.ok()) return;
    (void)(*session)->RunByName({}, {}, {init->name()});
    (void)(*session)->RunByName({{"x:0", rows}}, {"loss:0"}, {train->name()},
                                {.timeout = std::chrono::seconds(5)});
  };
  for (size_t i = 0; i < bytes.size(); i += 3) use(bytes.substr(0, i));
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    use(damaged);
  }
  EXPECT_GT(errors, tried / 4);
  Graph copy;
  EXPECT_TRUE(ImportGraph(copy, bytes).ok());
}

TEST(BadInput, DamagedMetaGraphs) {
  Folder folder;
  Graph g;
  Variable w(g, {1.0f, 2.0f}, {.name = "w"});
  Saver saver(g);
  ASSERT_TRUE(WriteMetaGraph(g, folder / "m.meta", {.saver = &saver}).ok());
  const std::string bytes = ReadFile(folder / "m.meta").value();
  int errors = 0;
  for (size_t i = 0; i < bytes.size(); i += 17) {
    for (const bool cut : {true, false}) {
      std::string damaged = cut ? bytes.substr(0, i) : bytes;
      if (!cut) damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
      ASSERT_TRUE(WriteFileAtomically(folder / "damaged.meta", damaged).ok());
      Graph copy;
      errors += !ImportMetaGraph(copy, folder / "damaged.meta").ok();
      (void)TrainableVariables(copy);
    }
  }
  EXPECT_GT(errors, 20);
  Graph copy;
  ExpectError(ImportMetaGraph(copy, folder / "none.meta"), kNotFound, {"none.meta"});
  ASSERT_TRUE(WriteFileAtomically(folder / "empty.meta", "").ok());
  ExpectError(ImportMetaGraph(copy, folder / "empty.meta"), kDataLoss, {"empty.meta"});
}

}  // namespace
}  // namespace headrace::bad_input
