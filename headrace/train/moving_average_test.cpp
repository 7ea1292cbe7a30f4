#include "headrace/train/moving_average.h"

#include "gmock/gmock.h"
#include "headrace/base/strings.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/control/no_op.h"
#include "headrace/ops/state/assign.h"
#include "headrace/train/collections.h"
#include "headrace/train/gradient_descent.h"
#include "headrace/train/internal/nodes.h"
#include "headrace/train/testing/golden.h"

namespace headrace {
namespace {

using nlohmann::json;
using testing::Fetch;
using ::testing::HasSubstr;
using testing::RunOp;
using testing::TensorOf;

// The program behind the golden.
struct Program {
  explicit Program(const json& golden) {
    v = Variable(g, {1.0f, -2.0f}, {.name = "layer/v"});
    u = Variable(g, 0.0f, {.name = "u"});
    step = Variable(g, 0, {.trainable = false, .name = "step"});
    tracked = {v, u};
    if (golden["tracked"][0] == "twice") {
      tracked = {NodeBuilder("Mul", "twice", Location())
                     .Input(v)
                     .Input(Const(g, 2.0f, {.name = "twice/y"}))
                     .Build()};
    }
    mark = g.num_nodes();
    ExponentialMovingAverageOptions options{.zero_debias = golden["zero_debias"].get<bool>()};
    if (golden["num_updates"].get<bool>()) options.num_updates = step;
    average.emplace(golden["decay"].get<double>(), options);
    update = average->Apply(tracked);
    fed_v = Placeholder(g, DType::kFloat32, {2});
    fed_u = Placeholder(g, DType::kFloat32, Shape());
    set = Group(g, {Assign(v.ref(), fed_v).node, Assign(u.ref(), fed_u).node});
    increment = AssignAdd(step.ref(), Const(g, 1)).node;
    init = GlobalVariablesInitializer(g);
  }
  Graph g;
  Variable v, u, step;
  std::vector<Output> tracked;
  int mark = 0;
  std::optional<ExponentialMovingAverage> average;
  Node *update = nullptr, *set = nullptr, *increment = nullptr, *init = nullptr;
  Output fed_v, fed_u;
};

void CheckVariables(Session& session, const json& values) {
  for (const auto& [name, value] : values.items()) {
    const StatusOr<Output> ref = session.graph().FindOutput(name);
    ASSERT_TRUE(ref.ok()) << ref.status();
    EXPECT_TRUE(testing::Near(Fetch(session, *ref), TensorOf(value), 2e-6, 1e-6)) << name;
  }
}

TEST(ExponentialMovingAverage, EqualsTensorFlow) {
  const json doc = testing::LoadGolden("schedules.json");
  for (const json& golden : doc["moving_averages"]) {
    SCOPED_TRACE(golden["name"].get<std::string>());
    Program p(golden);
    ASSERT_TRUE(p.g.status().ok()) << p.g.status();
    const std::unique_ptr<Session> session = testing::MakeSession(p.g);
    ASSERT_NE(session, nullptr);
    ASSERT_NO_FATAL_FAILURE(RunOp(*session, p.init));
    CheckVariables(*session, golden["initial"]);
    for (size_t i = 0; i < golden["averages"].size(); ++i) {
      RunOp(*session, p.set,
            {{p.fed_v, TensorOf(golden["fed_v"][i], DType::kFloat32, {2})},
             {p.fed_u, Tensor::Scalar(golden["fed_u"][i].get<float>())}});
      ASSERT_NO_FATAL_FAILURE(RunOp(*session, p.update));
      for (size_t k = 0; k < p.tracked.size(); ++k) {
        const Tensor average = Fetch(*session, p.average->Average(p.tracked[k]));
        const Tensor expected =
            TensorOf(golden["averages"][i][k], DType::kFloat32, average.shape());
        EXPECT_TRUE(testing::Near(average, expected, 2e-6, 1e-6))
            << "step " << i << " of " << p.tracked[k].name();
      }
      RunOp(*session, p.increment);
    }
    CheckVariables(*session, golden["final"]);
  }
}

TEST(ExponentialMovingAverage, NamesAreThoseOfTensorFlow) {
  const json doc = testing::LoadGolden("schedules.json");
  for (const json& golden : doc["moving_averages"]) {
    SCOPED_TRACE(golden["name"].get<std::string>());
    Program p(golden);
    std::vector<std::string> names, variables, collection;
    for (const Output& tracked : p.tracked) {
      names.push_back(p.average->AverageName(tracked));
      variables.push_back(p.average->Average(tracked).name());
    }
    EXPECT_EQ(names, golden["average_names"].get<std::vector<std::string>>());
    EXPECT_EQ(variables, golden["average_variables"].get<std::vector<std::string>>());
    for (const Variable& variable : MovingAverageVariables(p.g))
      collection.push_back(variable.name());
    EXPECT_EQ(collection, golden["moving_average_collection"].get<std::vector<std::string>>());
    std::map<std::string, std::string> restored;
    for (const auto& [name, variable] : p.average->VariablesToRestore(p.g))
      restored[name] = variable.name();
    EXPECT_EQ(restored, (golden["variables_to_restore"].get<std::map<std::string, std::string>>()));
    // Nodes of the update; TensorFlow's initial values go through a condition, ours are ordered by
    // the initializer.
    for (const json& node : golden["nodes"]) {
      const std::string name = node[0].get<std::string>();
      if (name.find("cond") != std::string::npos ||
          name.find("IsVariableInitialized") != std::string::npos)
        continue;
      const Node* ours = p.g.FindNode(name);
      ASSERT_NE(ours, nullptr) << name;
      EXPECT_EQ(ours->op_name(), node[1].get<std::string>()) << name;
    }
  }
}

TEST(ExponentialMovingAverage, AfterAnUpdateAveragesTheUpdatedValue) {
  Graph g;
  Variable w(g, 1.0f, {.name = "w"});
  Node* train =
      GradientDescentOptimizer(1.0).Minimize(train::Mul(w, 4.0, Location()));  // w becomes -3
  ExponentialMovingAverage average(0.5);
  Node* step = nullptr;
  {
    ControlDependencies after(g, {train});
    step = average.Apply({w});
  }
  Node* init = GlobalVariablesInitializer(g);
  ASSERT_TRUE(g.status().ok()) << g.status();
  const std::unique_ptr<Session> session = testing::MakeSession(g);
  RunOp(*session, init);
  RunOp(*session, step);
  EXPECT_EQ(Fetch(*session, w).scalar<float>(), -3);
  EXPECT_EQ(Fetch(*session, average.Average(w)).scalar<float>(), -1);
}

TEST(ExponentialMovingAverage, OfVariablesBehindHandlesTakesTheUpdatedValueToo) {
  Graph g;
  Variable w(g, 1.0f, {.use_resource = true, .name = "w"});
  Variable updates(g, int64_t{0}, {.trainable = false, .use_resource = true, .name = "updates"});
  Node* train = GradientDescentOptimizer(1.0).Minimize(train::Mul(w, 4.0, Location()));
  ExponentialMovingAverage average(0.5, {.num_updates = updates.ref()});
  Node* step = nullptr;
  {
    ControlDependencies after(g, {train});
    step = average.Apply({w.ref()});
  }
  Node* init = GlobalVariablesInitializer(g);
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_TRUE(average.Average(w).is_resource());
  const std::unique_ptr<Session> session = testing::MakeSession(g);
  RunOp(*session, init);
  RunOp(*session, step);
  EXPECT_EQ(Fetch(*session, w).scalar<float>(), -3);
  // The decay is 1/10 in the beginning: 1 - 0.9 (1 + 3).
  EXPECT_FLOAT_EQ(Fetch(*session, average.Average(w)).scalar<float>(), -2.6f);
}

TEST(ExponentialMovingAverage, StartsFromTheValueAtInitialization) {
  Graph g;
  Variable w(g, 1.0f, {.name = "w"});
  ExponentialMovingAverage average(0.5);
  average.Apply({w});
  Node* set = Assign(w.ref(), Const(g, 5.0f)).node;
  const std::unique_ptr<Session> session = testing::MakeSession(g);
  RunOp(*session, w.initializer());
  RunOp(*session, set);
  RunOp(*session, average.Average(w).initializer());
  EXPECT_EQ(Fetch(*session, average.Average(w)).scalar<float>(), 5);
}

TEST(ExponentialMovingAverage, MayBeMadeByTheCaller) {
  Graph g;
  Variable w(g, 1.0f, {.name = "w"});
  ExponentialMovingAverage average(0.5, {.make_average = [&](Output value) {
                                     return Variable(g, Variable::Of(value).initial_value(),
                                                     {.name = "train/average"});
                                   }});
  average.Apply({w});
  EXPECT_EQ(average.Average(w).name(), "train/average");
  const std::unique_ptr<Session> session = testing::MakeSession(g);
  RunOp(*session, average.Average(w).initializer());  // though w has no value yet
  EXPECT_EQ(Fetch(*session, average.Average(w)).scalar<float>(), 1);
}

TEST(ExponentialMovingAverage, RefusesIntegersAndUnknownShapes) {
  {
    Graph g;
    Variable n(g, 1, {.name = "n"});
    EXPECT_EQ(ExponentialMovingAverage(0.9).Apply({n}), nullptr);
    EXPECT_THAT(std::string(Message(g.status())), HasSubstr("of dtype int32"));
  }
  {
    Graph g;
    Output x = Placeholder(g, DType::kFloat32, {-1});
    EXPECT_EQ(ExponentialMovingAverage(0.9).Apply({x}), nullptr);
    EXPECT_THAT(std::string(Message(g.status())), HasSubstr("needs a static shape, got [?]"));
  }
}

}  // namespace
}  // namespace headrace
