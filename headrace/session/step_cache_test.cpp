#include "headrace/session/internal/step_cache.h"

#include <gtest/gtest.h>

#include "headrace/ops/array/constant.h"

namespace headrace {
namespace {

class StepCacheTest : public ::testing::Test {
 protected:
  std::shared_ptr<SessionStep> Get(int fetch) {
    const StepSignature signature{.feeds = {}, .fetches = {outputs_[fetch]}, .targets = {}};
    auto step = cache_.FindOrMake(signature, [&]() -> StatusOr<std::shared_ptr<SessionStep>> {
      ++made_;
      return std::make_shared<SessionStep>(signature, nullptr);
    });
    return *step;
  }
  std::shared_ptr<SessionStep> GetNamed(const std::string& name) {
    return cache_.Find({{}, {name}, {}});
  }

  Graph graph_;
  std::vector<Output> outputs_{Const(graph_, 0), Const(graph_, 1), Const(graph_, 2)};
  StepCache cache_{2};
  int made_ = 0;
};

TEST_F(StepCacheTest, FindsWhatIsKept) {
  SessionStep* const step = Get(0).get();
  EXPECT_EQ(Get(0).get(), step);
  EXPECT_EQ(made_, 1);
  EXPECT_NE(Get(1).get(), step);

  EXPECT_EQ(GetNamed("Const"), nullptr);
  cache_.Remember({{}, {"Const"}, {}}, Get(0));
  EXPECT_EQ(GetNamed("Const").get(), step);
  EXPECT_EQ(cache_.Find({{}, {}, {"Const"}}), nullptr) << "a target of that name is something else";
}

TEST_F(StepCacheTest, AnErrorLeavesNothing) {
  const StepSignature signature{.feeds = {}, .fetches = {outputs_[0]}, .targets = {}};
  const auto fail = []() -> StatusOr<std::shared_ptr<SessionStep>> {
    return absl::InvalidArgumentError("no");
  };
  EXPECT_FALSE(cache_.FindOrMake(signature, fail).ok());
  Get(0);
  EXPECT_EQ(made_, 1);
}

TEST_F(StepCacheTest, TheOneAskedForLongestAgoMakesRoom) {
  const std::weak_ptr<SessionStep> first = Get(0), second = Get(1);
  cache_.Remember({{}, {"one"}, {}}, Get(1));
  Get(0);
  Get(2);
  EXPECT_FALSE(first.expired());
  EXPECT_TRUE(second.expired());
  EXPECT_EQ(GetNamed("one"), nullptr);
  Get(1);
  EXPECT_EQ(made_, 4) << "made again";
  EXPECT_TRUE(first.expired());
}

TEST_F(StepCacheTest, AskingByNameCountsAsAsking) {
  const std::weak_ptr<SessionStep> first = Get(0), second = Get(1);
  cache_.Remember({{}, {"zero"}, {}}, Get(0));
  Get(1);
  ASSERT_NE(GetNamed("zero"), nullptr);
  Get(2);
  EXPECT_FALSE(first.expired());
  EXPECT_TRUE(second.expired());
}

TEST_F(StepCacheTest, WhatSomebodyHoldsStays) {
  std::vector<std::shared_ptr<SessionStep>> held{Get(0), Get(1)};
  Get(2);
  EXPECT_EQ(Get(0), held[0]);
  EXPECT_EQ(Get(1), held[1]);
  EXPECT_EQ(made_, 3);
}

}  // namespace
}  // namespace headrace
