#include "headrace/train/collections.h"

#include "gmock/gmock.h"
#include "headrace/base/strings.h"
#include "headrace/train/global_step.h"

namespace headrace {
namespace {

std::vector<std::string> Names(const std::vector<Variable>& variables) {
  std::vector<std::string> names;
  for (const Variable& variable : variables) names.push_back(variable.name());
  return names;
}

TEST(Collections, VariablesInOrderOnce) {
  Graph g;
  Variable b(g, 1.0f, {.name = "b"}), a(g, 1.0f, {.name = "a"});
  Variable fixed(g, 1.0f, {.trainable = false, .name = "fixed"});
  g.AddToCollection(kVariables, b.ref());
  EXPECT_EQ(Names(GlobalVariables(g)), (std::vector<std::string>{"b", "a", "fixed"}));
  EXPECT_EQ(Names(TrainableVariables(g)), (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(LocalVariables(g).empty());
}

TEST(Collections, FindsTheVariableBehindAnOutput) {
  Graph g;
  Variable w(g, 1.0f, {.name = "w"});
  EXPECT_EQ(VariableBehind(w.ref()).ref(), w.ref());
  EXPECT_EQ(VariableBehind(w.value()).ref(), w.ref());
  EXPECT_FALSE(VariableBehind(w.initial_value()).valid());
  EXPECT_FALSE(VariableBehind({}).valid());
}

TEST(GlobalStep, IsMadeOnceAndNamedAsTensorFlow) {
  Graph g;
  Variable step;
  {
    NameScope scope(g, "training");
    EXPECT_FALSE(GetGlobalStep(g).valid());
    step = GetOrCreateGlobalStep(g);
  }
  EXPECT_EQ(step.name(), "global_step");
  EXPECT_EQ(step.dtype(), DType::kInt64);
  EXPECT_EQ(step.initial_value().node->name(), "global_step/Initializer/zeros");
  EXPECT_EQ(GetOrCreateGlobalStep(g).ref(), step.ref());
  EXPECT_TRUE(TrainableVariables(g).empty());
  EXPECT_EQ(g.Collection(kGlobalStep).size(), 1u);
  EXPECT_TRUE(g.status().ok()) << g.status();
  CreateGlobalStep(g);
  EXPECT_EQ(g.status().code(), absl::StatusCode::kAlreadyExists);
}

TEST(GlobalStep, MustBeAnIntegerScalar) {
  Graph g;
  Variable wrong(g, {1.0f, 2.0f}, {.name = "global_step"});
  EXPECT_FALSE(GetGlobalStep(g).valid());
  EXPECT_THAT(std::string(Message(g.status())), ::testing::HasSubstr("is float32[2]"));
}

}  // namespace
}  // namespace headrace
