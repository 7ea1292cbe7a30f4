#include "headrace/ops/data/stage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

const std::vector<DType> kFloats{DType::kFloat32};

class StageTest : public ::testing::Test {
 protected:
  Status Put(float value) {
    const StageOptions options{.capacity = 2, .memory_limit = 1000, .shared_name = "area"};
    Node* put = Stage(std::vector<Output>{Const(g_, value)}, options);
    HR_RETURN_IF_ERROR(g_.status());
    return runner_.RunNode(put);
  }
  float Value(const std::vector<Output>& outputs) {
    const auto values = runner_.Run(outputs);
    EXPECT_TRUE(values.ok()) << values.status();
    return values.ok() ? (*values)[0].scalar<float>() : -1;
  }

  Graph g_;
  testing::GraphRunner runner_;
  const StageOptions area_{.capacity = 2, .memory_limit = 1000, .shared_name = "area"};
};

TEST_F(StageTest, GivesWhatWasLeftInOrder) {
  ASSERT_TRUE(Put(1).ok());
  ASSERT_TRUE(Put(2).ok());
  const Output size = StageSize(g_, kFloats, area_);
  EXPECT_EQ(runner_.Run({size}).value()[0].scalar<int32_t>(), 2);
  EXPECT_EQ(Value(StagePeek(Const(g_, 1), kFloats, area_)), 2);
  EXPECT_EQ(Value(Unstage(g_, kFloats, area_)), 1);
  EXPECT_EQ(Value(Unstage(g_, kFloats, area_)), 2);
  ASSERT_TRUE(Put(3).ok());
  ASSERT_TRUE(runner_.RunNode(StageClear(g_, kFloats, area_)).ok());
  EXPECT_EQ(runner_.Run({size}).value()[0].scalar<int32_t>(), 0);
}

TEST_F(StageTest, RefusesWhatCannotFit) {
  const Output big = Const(g_, Tensor(DType::kFloat32, {300}));
  EXPECT_EQ(runner_.RunNode(Stage(std::vector<Output>{big}, area_)).code(),
            absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(Put(1).ok());
  const std::vector<DType> two{DType::kFloat32, DType::kFloat32};
  EXPECT_THAT(std::string(Message(runner_.Run(Unstage(g_, two, area_)).status())),
              HasSubstr("Mismatch stage/unstage: 1 vs. 2"));
  StageOptions other = area_;
  other.capacity = 3;
  EXPECT_THAT(std::string(Message(runner_.Run(Unstage(g_, kFloats, other)).status())),
              HasSubstr("exists with capacity 2 and memory_limit 1000, this node says 3 and 1000"));
}

}  // namespace
}  // namespace headrace
