#include "headrace/train/regularizers.h"

#include "gmock/gmock.h"
#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/train/collections.h"
#include "headrace/train/testing/golden.h"

namespace headrace {
namespace {

using nlohmann::json;
using testing::TensorOf;

Regularizer Make(const std::string& function, const std::vector<double>& scale) {
  if (function == "l1_regularizer") return L1Regularizer(scale[0]);
  if (function == "l2_regularizer") return L2Regularizer(scale[0]);
  return L1L2Regularizer(scale[0], scale[1]);
}

TEST(Regularizers, EqualTensorFlow) {
  const json doc = testing::LoadGolden("schedules.json");
  for (const json& golden : doc["regularizers"]) {
    SCOPED_TRACE(golden.dump());
    Graph g;
    Variable w(g, TensorOf(doc["regularizer_input"]), {.name = "w"});
    const int mark = g.num_nodes();
    Output penalty =
        Make(golden["function"].get<std::string>(), golden["scale"].get<std::vector<double>>())(w);
    ASSERT_TRUE(penalty.valid()) << g.status();
    if (!golden["output"].is_null()) {
      EXPECT_EQ(penalty.node->name(), golden["name"].get<std::string>());
      testing::ExpectNodes(g, mark, golden["nodes"]);
    }
    Node* init = GlobalVariablesInitializer(g);
    Output gradient = Gradients(penalty, {w.ref()})[0].Dense();
    const std::unique_ptr<Session> session = testing::MakeSession(g);
    ASSERT_NE(session, nullptr);
    testing::RunOp(*session, init);
    if (golden["output"].is_null()) {  // a scale of zero
      EXPECT_EQ(testing::Fetch(*session, penalty).scalar<float>(), 0);
      EXPECT_FALSE(gradient.valid());
      continue;
    }
    EXPECT_TRUE(testing::Near(testing::Fetch(*session, penalty), TensorOf(golden["output"]), 1e-6));
    EXPECT_TRUE(testing::Near(testing::Fetch(*session, gradient), TensorOf(golden["gradient"]),
                              1e-6, 1e-9));
  }
}

TEST(Regularizers, SumsAreCollected) {
  Graph g;
  Variable a(g, {3.0f, -4.0f}, {.name = "a"}), b(g, {1.0f}, {.name = "b"});
  ApplyRegularization(SumRegularizer({L1Regularizer(0.1), L2Regularizer(0.2)}), {a, b});
  ApplyRegularization(L2Regularizer(2), {b});
  Output total = TotalRegularizationLoss(g);
  ASSERT_TRUE(g.status().ok()) << g.status();
  EXPECT_NE(g.FindNode("get_regularization_penalty/sum_regularizer_1/l2_regularizer/L2Loss"),
            nullptr);
  EXPECT_EQ(g.Collection(kRegularizationLosses).size(), 2u);
  Node* init = GlobalVariablesInitializer(g);
  const std::unique_ptr<Session> session = testing::MakeSession(g);
  testing::RunOp(*session, init);
  EXPECT_FLOAT_EQ(testing::Fetch(*session, total).scalar<float>(),
                  0.7f + 2.5f + 0.1f + 0.1f + 1.0f);
}

TEST(Regularizers, NegativeScaleIsAnError) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  EXPECT_FALSE(L1Regularizer(-1)(w).valid());
  EXPECT_THAT(std::string(Message(g.status())),
              ::testing::HasSubstr("the scale must be >= 0, got -1"));
}

}  // namespace
}  // namespace headrace
