// Mistakes that are found while the graph is built: the graph's status says what, where, and what
// would have been right.
#include "tests/bad_input/expect.h"

namespace headrace::bad_input {
namespace {

TEST(BadInput, OutputsThatAreNone) {
  ExpectBuildErrors({
      {"Group of a null op",
       [](Graph& g) {
         Group(g, {NoOp(g), nullptr});
       },
       kInvalid,
       {"Group (build_test.cpp:", "ops[1] is null"}},
      {"AddN",
       [](Graph& g) {
         AddN({Const(g, 1.0f), Output()});
       },
       kInvalid,
       {"op 'AddN'", "build_test.cpp:", "input 1 is no output of a node"}},
      {"Concat",
       [](Graph& g) {
         Concat({Output(), Const(g, {1.0f})}, 0);
       },
       kInvalid,
       {"ConcatV2", "build_test.cpp:", "input 0 is no output of a node"}},
      {"MatMul",
       [](Graph& g) { MatMul(Const(g, {{1.0f}}), Output()); },
       kInvalid,
       {"op 'MatMul'", "input 1 is no output of a node"}},
      {"an operator",
       [](Graph& g) { Const(g, 1.0f) + Output(); },
       kInvalid,
       {"no output of a node"}},
      {"an output number that the node has not",
       [](Graph& g) {
         Relu(Output{Const(g, 1.0f, {.name = "c"}).node, 3});
       },
       kInvalid,
       {"op 'Relu'", "output 3", "node 'c'", "1 outputs"}},
      {"a negative output number",
       [](Graph& g) {
         Relu(Output{Const(g, 1.0f, {.name = "c"}).node, -1});
       },
       kInvalid,
       {"op 'Relu'", "output -1", "node 'c'"}},
      {"a control dependency",
       [](Graph& g) { ControlDependencies after(g, {Output()}); },
       kInvalid,
       {"control dependency is no node"}},
      {"a null control dependency",
       [](Graph& g) { ControlDependencies after(g, {static_cast<Node*>(nullptr)}); },
       kInvalid,
       {"control dependency is no node"}},
      {"a summary",
       [](Graph& g) {
         MergeSummary(std::vector<Output>{Const(g, "x"), Output()});
       },
       kInvalid,
       {"input 1 is no output of a node"}},
      {"an embedding",
       [](Graph& g) { EmbeddingLookup({Output()}, Const(g, {1})); },
       kInvalid,
       {"no output of a node"}},
      {"Gradients of nothing",
       [](Graph& g) { Gradients(Output(), {Const(g, 1.0f)}); },
       kInvalid,
       {"ys[0] is no output of a node"}},
      {"Gradients by nothing",
       [](Graph& g) { Gradients(Const(g, 1.0f), {Output()}); },
       kInvalid,
       {"xs[0] is no output of a node"}},
      {"Gradients by an output that the node has not",
       [](Graph& g) {
         Output x = Const(g, 1.0f, {.name = "x"});
         Gradients(Square(x), {Output{x.node, 7}});
       },
       kInvalid,
       {"xs[0]", "output 7", "node 'x'", "1 outputs"}},
      {"Gradients stopped at nothing",
       [](Graph& g) {
         Output x = Const(g, 1.0f);
         Gradients(Square(x), {x}, {.stop_gradients = {Output()}});
       },
       kInvalid,
       {"stop_gradients[0] is no output of a node"}},
      {"grad_ys",
       [](Graph& g) {
         Gradients(Const(g, 1.0f), {Const(g, 1.0f)}, {.grad_ys = {Output(), Output()}});
       },
       kInvalid,
       {"Passed 2 grad_ys for 1 ys"}},
  });
}

TEST(BadInput, OutputsOfAnotherGraph) {
  static Graph other;
  static const Output foreign = Const(other, 1.0f, {.name = "foreign"});
  static const Variable foreign_variable(other, 1.0f, {.name = "foreign_variable"});
  ExpectBuildErrors({
      {"an input",
       [](Graph& g) {
         AddN({Const(g, 1.0f), foreign});
       },
       kInvalid,
       {"op 'AddN'", "input 1 ('foreign:0') belongs to another graph"}},
      {"a control input",
       [](Graph& g) {
         ControlDependencies after(g, {foreign});
         Const(g, 1.0f);
       },
       kInvalid,
       {"op 'Const'", "a control input is no node of this graph"}},
      {"an x",
       [](Graph& g) { Gradients(Const(g, 1.0f), {foreign}); },
       kInvalid,
       {"xs[0] ('foreign:0') belongs to another graph"}},
      {"a variable to initialize",
       [](Graph& g) { InitializeVariables(g, std::vector<Variable>{foreign_variable}); },
       kInvalid,
       {"foreign_variable", "another graph"}},
      {"a variable to save",
       [](Graph& g) { Saver(g, {.var_list = {foreign_variable}}); },
       kInvalid,
       {"foreign_variable", "another graph"}},
      {"a variable to train",
       [](Graph& g) {
         Variable w(g, 1.0f);
         GradientDescentOptimizer(0.1).Minimize(Square(w), {.var_list = {foreign_variable}});
       },
       kInvalid,
       {"foreign_variable", "another graph"}},
      {"a gradient",
       [](Graph& g) {
         Variable w(g, 1.0f, {.name = "w"});
         GradientDescentOptimizer(0.1).ApplyGradients(
             std::vector<GradientAndVariable>{{Gradient{.dense = foreign}, w}});
       },
       kInvalid,
       {"foreign", "another graph"}},
      {"a step counter",
       [](Graph& g) {
         Variable w(g, 1.0f, {.name = "w"});
         GradientDescentOptimizer(0.1).Minimize(Square(w), {.global_step = foreign_variable});
       },
       kInvalid,
       {"another graph"}},
      {"a colocation",
       [](Graph& g) {
         ColocateWith with(g, *foreign.node);
         Const(g, 1.0f, {.name = "here"});
       },
       kInvalid,
       {"foreign", "another graph"}},
  });
}

TEST(BadInput, InitialValues) {
  ExpectBuildErrors({
      {"none",
       [](Graph& g) { Variable(g, Output(), {.name = "w"}); },
       kInvalid,
       {"variable 'w' (build_test.cpp:", "initial value is no output of a node"}},
      {"no tensor",
       [](Graph& g) { Variable(g, Tensor(), {.name = "w"}); },
       kInvalid,
       {"node 'initial_value' (build_test.cpp:", "no tensor"}},
      {"an empty initializer",
       [](Graph& g) { Variable(g, Variable::Initializer(), {.name = "w"}); },
       kInvalid,
       {"variable 'w'", "initial value is no output of a node"}},
      {"an initializer that gives nothing",
       [](Graph& g) { Variable(g, [](Graph&) { return Output(); }, {.name = "w"}); },
       kInvalid,
       {"variable 'w'", "initial value is no output of a node"}},
      {"an unknown shape",
       [](Graph& g) {
         Variable(g, Placeholder(g, DType::kFloat32, {-1}, {.name = "x"}), {.name = "w"});
       },
       kInvalid,
       {"variable 'w'", "must have a shape specified: 'x:0' has shape [?]", "validate_shape"}},
      {"a stated shape that disagrees",
       [](Graph& g) {
         Variable(g, {1.0f, 2.0f}, {.shape = PartialShape{3}, .name = "w"});
       },
       kInvalid,
       {"w/Assign", "build_test.cpp:", "[3]", "[2]"}},
      {"a variable that was not made",
       [](Graph& g) { InitializeVariables(g, std::vector<Variable>{Variable()}); },
       kInvalid,
       {"InitializeVariables (build_test.cpp:", "variables[0] is no variable"}},
      {"a ragged matrix",
       [](Graph& g) {
         Const(g, {{1.0f, 2.0f}, {3.0f}}, {.name = "m"});
       },
       kInvalid,
       {"node 'm'"}},
  });
}

TEST(BadInput, ShapesThatDisagree) {
  ExpectBuildErrors({
      {"AddN",
       [](Graph& g) {
         AddN({Const(g, {1.0f, 2.0f}), Const(g, {1.0f})});
       },
       kInvalid,
       {"op 'AddN'", "[2]", "[1]"}},
      {"Concat",
       [](Graph& g) {
         Concat({Const(g, {{1.0f}}), Const(g, {1.0f})}, 0);
       },
       kInvalid,
       {"ConcatV2"}},
      {"Concat beyond the rank",
       [](Graph& g) {
         Concat({Const(g, {1.0f}), Const(g, {1.0f})}, 4);
       },
       kInvalid,
       {"ConcatV2", "4", "[-1"}},
      {"MatMul of vectors",
       [](Graph& g) { MatMul(Const(g, {1.0f}), Const(g, {1.0f})); },
       kInvalid,
       {"op 'MatMul'", "not a matrix", "[1]"}},
      {"MatMul",
       [](Graph& g) {
         MatMul(Zeros(g, {2, 3}), Zeros(g, {4, 5}), {.name = "product"});
       },
       kInvalid,
       {"node 'product'", "build_test.cpp:", "3", "4"}},
      {"operators",
       [](Graph& g) {
         Zeros(g, {2, 3}) * Zeros(g, {2, 4});
       },
       kInvalid,
       {"op 'Mul'", "[2,3]", "[2,4]"}},
      {"Reshape",
       [](Graph& g) {
         Reshape(Zeros(g, {2, 3}), {4, -1});
       },
       kInvalid,
       {"op 'Reshape'", "6", "4"}},
      {"a sum over no axis",
       [](Graph& g) {
         ReduceSum(Zeros(g, {2, 3}), 5);
       },
       kInvalid,
       {"op 'Sum'", "5"}},
      {"a default that is no such placeholder",
       [](Graph& g) {
         PlaceholderWithDefault(Const(g, {1.0f, 2.0f}), {3}, {.name = "p"});
       },
       kInvalid,
       {"node 'p'", "[3]", "[2]"}},
      {"EnsureShape",
       [](Graph& g) {
         EnsureShape(Zeros(g, {2, 3}), {3, 2});
       },
       kInvalid,
       {"op 'EnsureShape'", "[2,3]", "[3,2]"}},
      {"Assign",
       [](Graph& g) {
         Assign(Variable(g, {1.0f}).ref(), Const(g, {1.0f, 2.0f}));
       },
       kInvalid,
       {"op 'Assign'", "[1]", "[2]"}},
      {"a shape with negative dimensions",
       [](Graph& g) {
         Zeros(g, {2, -3});
       },
       kInvalid,
       {"-3"}},
      {"too many dimensions",
       [](Graph& g) {
         Zeros(g, {1, 1, 1, 1, 1, 1, 1, 1, 1});
       },
       kInvalid,
       {"8"}},
      {"a shape of too many elements",
       [](Graph& g) {
         Zeros(g, {int64_t{1} << 40, int64_t{1} << 40});
       },
       kInvalid,
       {"1099511627776"}},
      {"labels of another batch",
       [](Graph& g) {
         SparseSoftmaxCrossEntropyWithLogits(Zeros(g, {4, 3}), Const(g, {1, 2}));
       },
       kInvalid,
       {"SparseSoftmaxCrossEntropyWithLogits"}},
  });
}

TEST(BadInput, DTypesThatDisagree) {
  ExpectBuildErrors({
      {"AddN",
       [](Graph& g) {
         AddN({Const(g, 1.0f), Const(g, 1)});
       },
       kInvalid,
       {"op 'AddN'", "float32", "int32"}},
      {"Concat",
       [](Graph& g) {
         Concat({Const(g, {1.0f}), Const(g, {1.0})}, 0);
       },
       kInvalid,
       {"float32", "float64"}},
      {"MatMul of text",
       [](Graph& g) { MatMul(Const(g, {"a"}), Const(g, {"b"})); },
       kInvalid,
       {"op 'MatMul'", "string"}},
      {"Gather by floats",
       [](Graph& g) { Gather(Const(g, {1.0f}), Const(g, {0.0f})); },
       kInvalid,
       {"float32", "int32"}},
      {"Assign to a value",
       [](Graph& g) { Assign(Const(g, 1.0f), Const(g, 1.0f)); },
       kInvalid,
       {"op 'Assign'", "ref"}},
      {"Assign of another dtype",
       [](Graph& g) { Assign(Variable(g, 1.0f).ref(), Const(g, 1)); },
       kInvalid,
       {"op 'Assign'", "float32", "int32"}},
      {"a number that the dtype has not",
       [](Graph& g) { Const(g, 1) + 2.5; },
       kInvalid,
       {"2.5", "int32"}},
      {"a placeholder of no dtype",
       [](Graph& g) { Placeholder(g, DType::kInvalid, {1}, {.name = "p"}); },
       kInvalid,
       {"node 'p'", "dtype"}},
      {"Gradients of integers",
       [](Graph& g) { Gradients(Const(g, 1, {.name = "y"}), {Const(g, 1.0f)}); },
       kInvalid,
       {"node 'y'", "int32", "floating"}},
      {"a grad_y",
       [](Graph& g) {
         Output x = Const(g, 1.0f);
         Gradients(Square(x), {x}, {.grad_ys = {Const(g, 1.0)}});
       },
       kInvalid,
       {"grad_ys", "float64", "float32"}},
  });
}

TEST(BadInput, NamesOpsAndAttributes) {
  const auto make = [](Graph& g, std::string_view op, std::string_view name) {
    return NodeBuilder(g, op, name, Location::Current());
  };
  ExpectBuildErrors({
      {"an unknown op",
       [&](Graph& g) { make(g, "MatMull", "m").Build(); },
       kNotFound,
       {"node 'm'", "MatMull", "MatMul"}},
      {"a bad node name",
       [](Graph& g) { Const(g, 1.0f, {.name = "a b"}); },
       kInvalid,
       {"'a b'", "valid node name"}},
      {"a bad scope name",
       [](Graph& g) { NameScope scope(g, "a:b"); },
       kInvalid,
       {"'a:b'", "valid scope name"}},
      {"a taken name",
       [](Graph& g) {
         Const(g, 1.0f, {.name = "a/"});
         Const(g, 1.0f, {.name = "a/"});
       },
       kInvalid,
       {"Duplicate node name", "'a'"}},
      {"a bad device",
       [](Graph& g) { DeviceScope scope(g, "/tpu:x"); },
       kInvalid,
       {"build_test.cpp:", "tpu"}},
      {"a bad device of a node",
       [&](Graph& g) { make(g, "NoOp", "n").Device("/gpu:1/cpu:0").BuildNode(); },
       kInvalid,
       {"node 'n'"}},
      {"a missing attribute",
       [&](Graph& g) { make(g, "Placeholder", "p").Build(); },
       kInvalid,
       {"node 'p'", "dtype"}},
      {"an attribute of another kind",
       [&](Graph& g) { make(g, "Placeholder", "p").Attr("dtype", int64_t{1}).Build(); },
       kInvalid,
       {"node 'p'", "dtype", "type"}},
      {"an attribute that the op has not",
       [&](Graph& g) { make(g, "NoOp", "n").Attr("sped", 2.0f).BuildNode(); },
       kInvalid,
       {"node 'n'", "sped"}},
      {"a dtype that the op has not",
       [&](Graph& g) { make(g, "Relu", "r").Input(Const(g, {"text"})).Build(); },
       kInvalid,
       {"node 'r'", "string"}},
      {"too few inputs",
       [&](Graph& g) { make(g, "MatMul", "m").Input(Const(g, {{1.0f}})).Build(); },
       kInvalid,
       {"node 'm'", "got 1 inputs", "a, b"}},
      {"too many inputs",
       [&](Graph& g) {
         const Output x = Const(g, {{1.0f}});
         make(g, "MatMul", "m").Input(x).Input(x).Input(x).Build();
       },
       kInvalid,
       {"node 'm'", "got 3 inputs", "a, b"}},
  });
}

TEST(BadInput, NothingToAddNeedsAGraphToSaySo) {
  EXPECT_FALSE(AddN({}).valid());
  EXPECT_FALSE(Concat({}, 0).valid());
  EXPECT_EQ(Gradients(Output(), {Output()}).size(), 1u);
  EXPECT_FALSE(Variable::Of(Output()).valid());
  EXPECT_FALSE(VariableBehind(Output()).valid());
  Graph g;
  g.AddToCollection(kTrainableVariables, Output());
  g.AddToCollection(kVariables, Output());
  EXPECT_EQ(TrainableVariables(g).size(), 0u);
  GlobalVariablesInitializer(g);
  ExpectError(g.status(), kInvalid, {"variables[0] is no variable"});
}

TEST(BadInput, EditsThatDoNotFit) {
  Graph g, other;
  Output x = Const(g, {1.0f, 2.0f}, {.name = "x"}),
         foreign = Const(other, 1.0f, {.name = "foreign"});
  Output y = Relu(x, {.name = "y"});
  ExpectError(g.SetInput(*y.node, 1, x), kInvalid, {"node 'y'", "no input 1", "has 1"});
  ExpectError(g.SetInput(*y.node, 0, foreign), kInvalid,
              {"node 'y'", "no output of a node of this graph"});
  ExpectError(g.SetInput(*y.node, 0, Output()), kInvalid, {"node 'y'"});
  ExpectError(g.SetInput(*y.node, 0, Const(g, 1, {.name = "int"})), kInvalid,
              {"'int:0'", "int32", "float32"});
  ExpectError(g.AddControlInput(*y.node, *foreign.node), kInvalid, {"node 'y'", "another graph"});
  ExpectError(g.RefineShape(x, {3}), kInvalid, {"node 'x'", "[2]", "[3]"});
  ExpectError(g.RefineShape(foreign, {3}), kInvalid, {"none of this graph"});
  ExpectError(g.RefineShape(Output{x.node, 4}, {3}), kInvalid, {"node 'x'", "output 4"});
  ExpectError(g.FindOutput("z").status(), kNotFound, {"'z'"});
  ExpectError(g.FindOutput("x:1").status(), kInvalid, {"'x:1'", "1 outputs"});
  ExpectError(g.FindOutput("x:9999999999999999999999").status(), kInvalid,
              {"not the name of an output"});
  ExpectError(g.FindOutput("^x").status(), kInvalid, {"not the name of an output"});
  EXPECT_TRUE(g.status().ok()) << g.status();  // the graph is as it was
  EXPECT_EQ(MakeSession(g)->Run({}, {y})->at(0).data<float>()[1], 2);
}

}  // namespace
}  // namespace headrace::bad_input
