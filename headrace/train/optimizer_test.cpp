#include "headrace/train/optimizer.h"

#include <optional>

#include "gmock/gmock.h"
#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/resource_variable.h"
#include "headrace/train/collections.h"
#include "headrace/train/global_step.h"
#include "headrace/train/internal/nodes.h"
#include "headrace/train/optimizers.h"
#include "headrace/train/testing/golden.h"

namespace headrace {
namespace {

using nlohmann::json;
using testing::Fetch;
using ::testing::HasSubstr;
using testing::LoadGolden;
using testing::MakeSession;
using testing::Near;
using testing::RunOp;
using testing::TensorOf;

double Number(const json& args, const char* name) {
  return args[name].get<double>();
}

// The optimizer that a golden's constructor arguments describe.
std::unique_ptr<Optimizer> MakeOptimizer(const json& golden, const Variable& global_step) {
  const std::string kind = golden["class"].get<std::string>();
  const json& a = golden["args"];
  const double rate = Number(a, "learning_rate");
  if (kind == "GradientDescentOptimizer") return std::make_unique<GradientDescentOptimizer>(rate);
  if (kind == "MomentumOptimizer") {
    return std::make_unique<MomentumOptimizer>(
        rate, Number(a, "momentum"),
        MomentumOptions{.use_nesterov = a["use_nesterov"].get<bool>()});
  }
  if (kind == "AdagradOptimizer") {
    return std::make_unique<AdagradOptimizer>(
        rate, AdagradOptions{.initial_accumulator_value = Number(a, "initial_accumulator_value")});
  }
  if (kind == "AdadeltaOptimizer") {
    return std::make_unique<AdadeltaOptimizer>(
        rate, AdadeltaOptions{.rho = Number(a, "rho"), .epsilon = Number(a, "epsilon")});
  }
  if (kind == "RMSPropOptimizer") {
    return std::make_unique<RMSPropOptimizer>(
        rate, RMSPropOptions{.decay = Number(a, "decay"),
                             .momentum = Number(a, "momentum"),
                             .epsilon = Number(a, "epsilon"),
                             .centered = a["centered"].get<bool>()});
  }
  if (kind == "AdamOptimizer") {
    return std::make_unique<AdamOptimizer>(rate, AdamOptions{.beta1 = Number(a, "beta1"),
                                                             .beta2 = Number(a, "beta2"),
                                                             .epsilon = Number(a, "epsilon")});
  }
  if (kind == "FtrlOptimizer") {
    return std::make_unique<FtrlOptimizer>(
        rate, FtrlOptions{.learning_rate_power = Number(a, "learning_rate_power"),
                          .initial_accumulator_value = Number(a, "initial_accumulator_value"),
                          .l1_regularization_strength = Number(a, "l1_regularization_strength"),
                          .l2_regularization_strength = Number(a, "l2_regularization_strength"),
                          .l2_shrinkage_regularization_strength =
                              Number(a, "l2_shrinkage_regularization_strength")});
  }
  const double l1 = Number(a, "l1_regularization_strength"),
               l2 = Number(a, "l2_regularization_strength");
  if (kind == "AdagradDAOptimizer") {
    return std::make_unique<AdagradDAOptimizer>(
        rate, global_step,
        AdagradDAOptions{.initial_gradient_squared_accumulator_value =
                             Number(a, "initial_gradient_squared_accumulator_value"),
                         .l1_regularization_strength = l1,
                         .l2_regularization_strength = l2});
  }
  if (kind == "ProximalGradientDescentOptimizer") {
    return std::make_unique<ProximalGradientDescentOptimizer>(
        rate, ProximalGradientDescentOptions{.l1_regularization_strength = l1,
                                             .l2_regularization_strength = l2});
  }
  if (kind == "ProximalAdagradOptimizer") {
    return std::make_unique<ProximalAdagradOptimizer>(
        rate,
        ProximalAdagradOptions{.initial_accumulator_value = Number(a, "initial_accumulator_value"),
                               .l1_regularization_strength = l1,
                               .l2_regularization_strength = l2});
  }
  ADD_FAILURE() << "no optimizer for " << kind;
  return nullptr;
}

// One variable under 20 fed gradients.
class Trajectory {
 public:
  Trajectory(const json& doc, const json& golden)
      : doc_(doc), golden_(golden), sparse_(golden["sparse"].get<bool>()) {
    const Tensor init = TensorOf(golden["init"]);
    dtype_ = init.dtype();
    w_ = Variable(g_, init, {.name = "w"});
    if (golden["class"] == "AdagradDAOptimizer") step_ = GetOrCreateGlobalStep(g_);
    optimizer_ = MakeOptimizer(golden, step_);
    Gradient gradient;
    if (sparse_) {
      values_ = Placeholder(g_, dtype_, {-1, 2}, {.name = "g"});
      indices_ = Placeholder(g_, DType::kInt32, {-1}, {.name = "i"});
      gradient.slices = IndexedSlices{values_, indices_, Const(g_, {5, 2})};
    } else {
      gradient.dense = values_ = Placeholder(g_, dtype_, init.shape(), {.name = "g"});
    }
    const GradientAndVariable pair{gradient, w_};
    train_ = optimizer_->ApplyGradients(std::span(&pair, 1), {.global_step = step_});
    init_ = GlobalVariablesInitializer(g_);
    EXPECT_TRUE(g_.status().ok()) << g_.status();
  }

  void Check() {
    CheckNames();
    const std::unique_ptr<Session> session = MakeSession(g_);
    ASSERT_NE(session, nullptr);
    ASSERT_NO_FATAL_FAILURE(RunOp(*session, init_));
    CheckVariables(*session, "slots_initial", 0, 0);
    const double tolerance = dtype_ == DType::kFloat64 ? 1e-12 : 2e-6;
    for (size_t step = 0; step < golden_["values"].size(); ++step) {
      ASSERT_NO_FATAL_FAILURE(RunOp(*session, train_, FeedsOf(step)));
      const Tensor expected = TensorOf(golden_["values"][step], dtype_, w_.shape().ToShape());
      ASSERT_TRUE(Near(Fetch(*session, w_), expected, tolerance, tolerance)) << "step " << step;
    }
    CheckVariables(*session, "slots_final", tolerance * 2, tolerance);
  }

 private:
  Session::Feeds FeedsOf(size_t step) const {
    const json& rows = doc_[sparse_ ? "sparse_grads" : "dense_grads"][step];
    const Shape shape = sparse_ ? Shape{4, 2} : Shape{2, 3};
    Session::Feeds feeds = {{values_, TensorOf(rows, dtype_, shape)}};
    if (sparse_)
      feeds.push_back({indices_, TensorOf(doc_["sparse_indices"][step], DType::kInt32, {4})});
    return feeds;
  }

  void CheckNames() {
    EXPECT_EQ(optimizer_->slot_names(), golden_["slot_names"].get<std::vector<std::string>>());
    for (const auto& [slot, name] : golden_["slot_variables"].items()) {
      const Variable variable = optimizer_->GetSlot(w_, slot);
      ASSERT_TRUE(variable.valid()) << slot;
      EXPECT_EQ(variable.name(), name.get<std::string>());
    }
    std::vector<std::string> names;
    for (const Variable& variable : GlobalVariables(g_)) names.push_back(variable.name());
    EXPECT_EQ(names, golden_["variables"].get<std::vector<std::string>>());
    for (const json& expected : golden_["update_op_attrs"]) {
      const Node* node = g_.FindNode(expected[0].get<std::string>());
      ASSERT_NE(node, nullptr) << expected[0];
      EXPECT_EQ(node->op_name(), expected[1].get<std::string>());
      EXPECT_EQ(testing::InputsOf(*node), expected[2].get<std::vector<std::string>>())
          << node->name();
    }
  }

  void CheckVariables(Session& session, const char* key, double tolerance, double floor) {
    for (const auto& [name, value] : golden_[key].items()) {
      const StatusOr<Output> ref = g_.FindOutput(name);
      ASSERT_TRUE(ref.ok()) << ref.status();
      EXPECT_TRUE(Near(Fetch(session, *ref), TensorOf(value), tolerance, floor))
          << key << " " << name;
    }
  }

  const json& doc_;
  const json& golden_;
  const bool sparse_;
  Graph g_;
  DType dtype_ = DType::kInvalid;
  Variable w_, step_;
  Output values_, indices_;
  std::unique_ptr<Optimizer> optimizer_;
  Node* train_ = nullptr;
  Node* init_ = nullptr;
};

TEST(Optimizer, TwentyStepsEqualTensorFlow) {
  const json doc = LoadGolden("optimizers.json");
  int checked = 0;
  for (const json& golden : doc["cases"]) {
    if (golden["resource"].get<bool>())
      continue;  // resource variables are another kind of variable
    SCOPED_TRACE(StrCat(golden["name"].get<std::string>(),
                        golden["sparse"].get<bool>() ? " sparse" : " dense"));
    Trajectory(doc, golden).Check();
    ++checked;
  }
  EXPECT_EQ(checked, 43);
}

// The losses of the golden graphs.
struct TinyLoss {
  explicit TinyLoss(Graph& g, bool sparse) {
    const Location here;
    Output x;
    if (sparse) {
      w = Variable(g, Tensor(Tensor::Of<float>({0, 0, 0, 0, 0, 0, 0, 0}, {4, 2})), {.name = "w"});
      Output ids = Const(g, {1, 3, 1});
      Output axis;
      NameScope scope(g, "embedding_lookup");
      axis = Const(g, 0, {.name = "axis"});
      {
        ColocateWith colocate(g, *w.ref().node);
        x = NodeBuilder("GatherV2", "embedding_lookup/", here)
                .Input(w)
                .Input(ids)
                .Input(axis)
                .Build();
      }
      x = train::Call("Identity", {x}, here);
    } else {
      w = Variable(g, {1.0f, 2.0f}, {.name = "w"});
      b = Variable(g, 0.5f, {.name = "b"});
      x = train::Add(train::Mul(w, Const(g, {3.0f, 4.0f}), here), b, here);
    }
    NameScope top(g, "");
    Output square = train::Call("Square", {x}, here);
    std::vector<int32_t> axes(square.shape().rank());
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int32_t>(i);
    Output all = Const(g, Tensor::Of<int32_t>(axes, {static_cast<int64_t>(axes.size())}));
    value = train::Call("Sum", {square, all}, here, "loss");
  }
  Variable w, b;
  Output value;
};

// The golden's gradient nodes without those that nothing uses: for static shapes TensorFlow leaves
// "BroadcastGradientArgs" and its constants behind.
json UsedGradientNodes(const json& doc, const std::string& kind) {
  json used = json::array();
  for (const json& node : doc["minimize_shared"][kind]["gradient_nodes"]) {
    if (node[0].get<std::string>().find("BroadcastGradientArgs") == std::string::npos)
      used.push_back(node);
  }
  return used;
}

TEST(Optimizer, MinimizeAddsTheNodesOfTensorFlow) {
  const json doc = LoadGolden("optimizers.json");
  int checked = 0;
  for (const json& golden : doc["minimize_graphs"]) {
    const std::string kind = golden["graph"].get<std::string>();
    if (kind == "resource") continue;
    SCOPED_TRACE(StrCat(golden["name"].get<std::string>(), " ", kind));
    Graph g;
    TinyLoss loss(g, kind == "sparse");
    Variable step;
    if (golden["global_step"].get<bool>() || golden["class"] == "AdagradDAOptimizer")
      step = GetOrCreateGlobalStep(g);
    const std::unique_ptr<Optimizer> optimizer = MakeOptimizer(golden, step);
    const int mark = g.num_nodes();
    Node* train = optimizer->Minimize(loss.value, {.global_step = step});
    ASSERT_NE(train, nullptr) << g.status();
    EXPECT_EQ(train->name(), golden["train_op"].get<std::string>());
    const size_t gradient_nodes = UsedGradientNodes(doc, kind).size();
    int first = mark;
    while (first < g.num_nodes() && g.node(first)->name().starts_with("gradients/")) ++first;
    EXPECT_EQ(static_cast<size_t>(first - mark), gradient_nodes);
    testing::ExpectNodes(g, first, golden["nodes_after_gradients"]);
    std::vector<std::string> names;
    for (const Variable& variable : GlobalVariables(g)) names.push_back(variable.name());
    EXPECT_EQ(names, golden["variables"].get<std::vector<std::string>>());
    ASSERT_EQ(g.Collection(kTrainOp).size(), 1u);
    EXPECT_EQ(g.Collection(kTrainOp)[0].node, train);
    ++checked;
  }
  EXPECT_EQ(checked, 25);
}

TEST(Optimizer, GradientsAreGatedAsTensorFlowGatesThem) {
  const json doc = LoadGolden("optimizers.json");
  for (const char* kind : {"dense", "sparse"}) {
    SCOPED_TRACE(kind);
    Graph g;
    TinyLoss loss(g, std::string_view(kind) == "sparse");
    const int mark = g.num_nodes();
    GradientDescentOptimizer(0.1).ComputeGradients(loss.value);
    EXPECT_TRUE(g.status().ok()) << g.status();
    testing::ExpectNodes(g, mark, UsedGradientNodes(doc, kind));
  }
}

// y = 3 x - 1 from eight points.
struct Line {
  Line() {
    const Location here;
    Output x = Const(g, {-1.0f, -0.75f, -0.5f, -0.25f, 0.25f, 0.5f, 0.75f, 1.0f});
    Output y = Const(g, {-4.0f, -3.25f, -2.5f, -1.75f, -0.25f, 0.5f, 1.25f, 2.0f});
    slope = Variable(g, 0.0f, {.name = "slope"});
    offset = Variable(g, 0.0f, {.name = "offset"});
    Output guess = train::Add(train::Mul(slope, x, here), offset, here);
    Output square = train::Call("Square", {train::Sub(guess, y, here)}, here);
    loss = train::Call("Mean", {square, Const(g, {0})}, here);
  }
  Graph g;
  Variable slope, offset;
  Output loss;
};

// Steps of an optimizer on a matrix with a dense gradient and a table of which some rows are used.
std::vector<Tensor> Train(const std::function<std::unique_ptr<Optimizer>(const Variable&)>& make,
                          bool use_resource) {
  Graph g;
  const Location here;
  Variable w(g, Tensor::Of<float>({0.5f, -0.25f, 1, 2}, {2, 2}),
             {.use_resource = use_resource, .name = "w"});
  Variable table(g, Tensor::Of<float>({0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f}, {3, 2}),
                 {.use_resource = use_resource, .name = "table"});
  Variable step(g, int64_t{0}, {.trainable = false, .use_resource = use_resource, .name = "step"});
  const Output ids = Const(g, {2, 0, 2});
  const Output rows = use_resource ? ResourceGather(table.ref(), ids) : Gather(table, ids);
  const Output product = train::Call("MatMul", {rows, w.Read()}, here);
  const Output loss = train::Call("L2Loss", {train::Sub(product, 1.0, here)}, here);
  Node* train = make(step)->Minimize(loss, {.global_step = step, .var_list = {w, table}});
  Node* init = GlobalVariablesInitializer(g);
  EXPECT_TRUE(g.status().ok()) << g.status();
  const std::unique_ptr<Session> session = MakeSession(g);
  RunOp(*session, init);
  for (int i = 0; i < 5; ++i) RunOp(*session, train);
  return {Fetch(*session, w), Fetch(*session, table), Fetch(*session, step)};
}

TEST(Optimizer, VariablesBehindHandlesTakeTheSameSteps) {
  const std::pair<const char*, std::function<std::unique_ptr<Optimizer>(const Variable&)>>
      makers[] = {
          {"sgd", [](auto&) { return std::make_unique<GradientDescentOptimizer>(0.1); }},
          {"nesterov",
           [](auto&) {
             return std::make_unique<MomentumOptimizer>(0.05, 0.9,
                                                        MomentumOptions{.use_nesterov = true});
           }},
          {"adagrad", [](auto&) { return std::make_unique<AdagradOptimizer>(0.1); }},
          {"adagrad da",
           [](auto& step) { return std::make_unique<AdagradDAOptimizer>(0.1, step); }},
          {"adadelta", [](auto&) { return std::make_unique<AdadeltaOptimizer>(1.0); }},
          {"rmsprop",
           [](auto&) {
             return std::make_unique<RMSPropOptimizer>(
                 0.02, RMSPropOptions{.momentum = 0.5, .centered = true});
           }},
          {"adam", [](auto&) { return std::make_unique<AdamOptimizer>(0.1); }},
          {"ftrl",
           [](auto&) {
             return std::make_unique<FtrlOptimizer>(
                 0.1, FtrlOptions{.l2_shrinkage_regularization_strength = 0.1});
           }},
          {"proximal",
           [](auto&) { return std::make_unique<ProximalGradientDescentOptimizer>(0.1); }},
          {"proximal adagrad",
           [](auto&) { return std::make_unique<ProximalAdagradOptimizer>(0.1); }},
      };
  for (const auto& [name, make] : makers) {
    SCOPED_TRACE(name);
    const std::vector<Tensor> refs = Train(make, false), handles = Train(make, true);
    for (size_t i = 0; i < refs.size(); ++i)
      EXPECT_TRUE(Near(handles[i], refs[i], 1e-6)) << "variable " << i;
    EXPECT_EQ(handles[2].scalar<int64_t>(), 5);
  }
}

TEST(Optimizer, EachFitsALine) {
  const std::pair<const char*, std::function<std::unique_ptr<Optimizer>(const Variable&)>>
      makers[] = {
          {"sgd", [](auto&) { return std::make_unique<GradientDescentOptimizer>(0.3); }},
          {"momentum", [](auto&) { return std::make_unique<MomentumOptimizer>(0.05, 0.9); }},
          {"nesterov",
           [](auto&) {
             return std::make_unique<MomentumOptimizer>(0.05, 0.9,
                                                        MomentumOptions{.use_nesterov = true});
           }},
          {"adagrad", [](auto&) { return std::make_unique<AdagradOptimizer>(1.0); }},
          {"adadelta",
           [](auto&) {
             return std::make_unique<AdadeltaOptimizer>(1.0, AdadeltaOptions{.epsilon = 1e-3});
           }},
          {"rmsprop", [](auto&) { return std::make_unique<RMSPropOptimizer>(0.02); }},
          {"adam", [](auto&) { return std::make_unique<AdamOptimizer>(0.1); }},
          {"ftrl", [](auto&) { return std::make_unique<FtrlOptimizer>(2.0); }},
          {"proximal",
           [](auto&) { return std::make_unique<ProximalGradientDescentOptimizer>(0.3); }},
          {"proximal adagrad",
           [](auto&) { return std::make_unique<ProximalAdagradOptimizer>(1.0); }},
      };
  for (const auto& [name, make] : makers) {
    SCOPED_TRACE(name);
    Line line;
    Variable step = GetOrCreateGlobalStep(line.g);
    Node* train = make(step)->Minimize(line.loss, {.global_step = step});
    Node* init = GlobalVariablesInitializer(line.g);
    const std::unique_ptr<Session> session = MakeSession(line.g);
    ASSERT_NE(session, nullptr);
    RunOp(*session, init);
    for (int i = 0; i < 400; ++i) ASSERT_NO_FATAL_FAILURE(RunOp(*session, train));
    EXPECT_NEAR(Fetch(*session, line.slope).scalar<float>(), 3, 0.05);
    EXPECT_NEAR(Fetch(*session, line.offset).scalar<float>(), -1, 0.05);
    EXPECT_EQ(Fetch(*session, step).scalar<int64_t>(), 400);
  }
}

TEST(Optimizer, GradientsMayBeProcessedInBetween) {
  Line line;
  GradientDescentOptimizer sgd(0.5);
  std::vector<GradientAndVariable> gradients =
      sgd.ComputeGradients(line.loss, {.var_list = {line.slope}});
  ASSERT_EQ(gradients.size(), 1u);
  gradients[0].gradient.dense = train::Mul(gradients[0].gradient.dense, 0.0, Location());
  Node* train = sgd.ApplyGradients(gradients);
  Node* init = GlobalVariablesInitializer(line.g);
  const std::unique_ptr<Session> session = MakeSession(line.g);
  RunOp(*session, init);
  RunOp(*session, train);
  EXPECT_EQ(Fetch(*session, line.slope).scalar<float>(), 0);
  EXPECT_EQ(Fetch(*session, line.offset).scalar<float>(), 0);
}

TEST(Optimizer, LearningRateMayBeATensor) {
  Line line;
  Output rate = Placeholder(line.g, DType::kFloat32, Shape(), {.name = "rate"});
  Node* train = GradientDescentOptimizer(rate).Minimize(line.loss);
  ASSERT_NE(train, nullptr) << line.g.status();
  EXPECT_EQ(line.g.FindNode("GradientDescent/learning_rate"), nullptr);
  Node* init = GlobalVariablesInitializer(line.g);
  const std::unique_ptr<Session> session = MakeSession(line.g);
  RunOp(*session, init);
  RunOp(*session, train, {{rate, Tensor::Scalar(0.0f)}});
  EXPECT_EQ(Fetch(*session, line.offset).scalar<float>(), 0);
  RunOp(*session, train, {{rate, Tensor::Scalar(0.25f)}});
  EXPECT_FLOAT_EQ(Fetch(*session, line.offset).scalar<float>(),
                  -0.5f);  // 0.25 * 2 * mean(0 - y), mean(y) = -1
}

TEST(Optimizer, VariablesWithoutGradientAreLeftOut) {
  Line line;
  Variable idle(line.g, 7.0f, {.name = "idle"});
  MomentumOptimizer momentum(0.1, 0.9);
  Node* train = momentum.Minimize(line.loss);
  ASSERT_NE(train, nullptr) << line.g.status();
  EXPECT_FALSE(momentum.GetSlot(idle, "momentum").valid());
  EXPECT_TRUE(momentum.GetSlot(line.slope, "momentum").valid());
}

TEST(Optimizer, SecondUseKeepsSlots) {
  Line line;
  AdamOptimizer adam;
  const std::vector<GradientAndVariable> gradients = adam.ComputeGradients(line.loss);
  Node* first = adam.ApplyGradients(gradients);
  const size_t variables = GlobalVariables(line.g).size();
  Node* second = adam.ApplyGradients(gradients);
  EXPECT_EQ(GlobalVariables(line.g).size(), variables);
  EXPECT_EQ(first->name(), "Adam");
  EXPECT_EQ(second->name(), "Adam_1");
}

TEST(Optimizer, AnotherOneHasItsOwnSlots) {
  Line line;
  AdamOptimizer a, b;
  a.Minimize(line.loss);
  b.Minimize(line.loss);
  EXPECT_EQ(b.GetSlot(line.slope, "m").name(), "slope/Adam_2");
  EXPECT_EQ(b.GetSlot(line.slope, "v").name(), "slope/Adam_3");
  EXPECT_EQ(b.beta1_power().name(), "beta1_power_1");
}

TEST(Optimizer, SlotsMayLieInAScope) {
  Line line;
  MomentumOptimizer momentum(0.1, 0.9);
  const std::vector<GradientAndVariable> gradients = momentum.ComputeGradients(line.loss);
  ASSERT_NE(momentum.ApplyGradients(gradients, {.slot_scope = "train"}), nullptr);
  EXPECT_EQ(momentum.GetSlot(line.slope, "momentum").name(), "train/slope/Momentum");
}

TEST(Optimizer, WaitsForWhatFollowsAnUpdate) {
  Line line;
  GradientDescentOptimizer optimizer(0.1);
  int calls = 0;
  ApplyGradientsOptions options;
  options.after_update = [&](const Variable& variable, Node* update, bool sparse) {
    ++calls;
    EXPECT_FALSE(sparse);
    ControlDependencies after(line.g, {update});
    return Assign(variable.ref(), train::Call("ZerosLike", {variable.ref()}, Location())).node;
  };
  Node* step = optimizer.ApplyGradients(optimizer.ComputeGradients(line.loss), std::move(options));
  ASSERT_NE(step, nullptr) << line.g.status();
  EXPECT_EQ(calls, 2);
  const std::unique_ptr<Session> session = MakeSession(line.g);
  RunOp(*session, GlobalVariablesInitializer(line.g));
  RunOp(*session, step);
  EXPECT_EQ(Fetch(*session, line.slope).scalar<float>(), 0);
}

TEST(Optimizer, SaysWhyNothingCanBeTrained) {
  Graph g;
  Variable w(g, {1.0f, 2.0f}, {.name = "w"});
  Output rounded = train::Call("Floor", {w}, Location(), "rounded");
  Output loss = train::Call("Sum", {rounded, Const(g, {0})}, Location(), "loss");
  EXPECT_EQ(GradientDescentOptimizer(0.1).Minimize(loss), nullptr);
  EXPECT_EQ(g.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(Message(g.status()));
  EXPECT_THAT(message, HasSubstr("No gradients provided for any variable"));
  EXPECT_THAT(message, HasSubstr("between variables [w] and loss loss:0"));
  EXPECT_THAT(message, HasSubstr("'rounded'"));
}

TEST(Optimizer, RefusesWhatCannotBeOptimized) {
  {
    Graph g;
    Output loss = Const(g, 1);
    EXPECT_EQ(GradientDescentOptimizer(0.1).Minimize(loss), nullptr);
    EXPECT_THAT(std::string(Message(g.status())), HasSubstr("Invalid type int32 for loss"));
  }
  {
    Graph g;
    Output loss = Const(g, 1.0f);
    EXPECT_EQ(GradientDescentOptimizer(0.1).Minimize(loss), nullptr);
    EXPECT_THAT(std::string(Message(g.status())), HasSubstr("No variables to optimize"));
  }
  {
    Line line;
    EXPECT_EQ(AdagradOptimizer(0.1, {.initial_accumulator_value = 0}).Minimize(line.loss), nullptr);
    EXPECT_THAT(std::string(Message(line.g.status())),
                HasSubstr("optimizer 'Adagrad': initial_accumulator_value must be positive: 0"));
  }
}

TEST(Optimizer, GateGraphWaitsForAllGradients) {
  Line line;
  const auto gradients =
      GradientDescentOptimizer(0.1).ComputeGradients(line.loss, {.gate = GradientGate::kGraph});
  ASSERT_EQ(gradients.size(), 2u);
  EXPECT_EQ(gradients[0].gradient.dense.node->name(), "tuple/control_dependency");
  EXPECT_EQ(gradients[1].gradient.dense.node->name(), "tuple/control_dependency_1");
  EXPECT_EQ(gradients[0].gradient.dense.node->control_inputs()[0]->name(), "tuple/group_deps");
}

}  // namespace
}  // namespace headrace
