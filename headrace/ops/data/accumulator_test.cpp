#include "headrace/ops/data/accumulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/data/accumulator_resource.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using testing::FedTensor;
using ::testing::HasSubstr;

constexpr DType kFloat = DType::kFloat32;

class AccumulatorTest : public ::testing::Test {
 protected:
  Status Apply(Output accumulator, int64_t step, const Tensor& gradient) {
    const Output x = FedTensor(g_, kFloat, PartialShape(), StrCat("x", g_.num_nodes()));
    Node* apply = AccumulatorApplyGradient(accumulator, Const(g_, step), x);
    HR_RETURN_IF_ERROR(g_.status());
    return runner_.RunNode(apply, {{x, gradient}});
  }
  StatusOr<std::vector<Tensor>> Take(Output accumulator, int32_t count) {
    const Output taken = AccumulatorTakeGradient(accumulator, Const(g_, count), kFloat);
    HR_RETURN_IF_ERROR(g_.status());
    return runner_.Run({taken});
  }
  int Count(Output accumulator) {
    return runner_.Run({AccumulatorNumAccumulated(accumulator)}).value()[0].scalar<int32_t>();
  }

  Graph g_;
  testing::GraphRunner runner_;
};

// Expected values and errors: TensorFlow 1.15.
TEST_F(AccumulatorTest, GivesTheMeanOfWhatIsNotStale) {
  const Output accumulator = ConditionalAccumulator(g_, kFloat, {.shape = {2}});
  EXPECT_TRUE(Apply(accumulator, 0, Tensor::Of<float>({1, 2})).ok());
  EXPECT_TRUE(Apply(accumulator, 1, Tensor::Of<float>({3, 5})).ok());
  EXPECT_EQ(Count(accumulator), 2);
  const auto mean = Take(accumulator, 1);
  ASSERT_TRUE(mean.ok()) << mean.status();
  EXPECT_THAT((*mean)[0].flat<float>(), ElementsAre(2, 3.5f));
  EXPECT_TRUE(
      Apply(accumulator, 0, Tensor::Of<float>({3, 5})).ok());  // from before the take: dropped
  EXPECT_EQ(Count(accumulator), 0);
  EXPECT_TRUE(Apply(accumulator, 1, Tensor::Of<float>({3, 5})).ok());
  EXPECT_EQ(Count(accumulator), 1);
  ASSERT_TRUE(runner_.RunNode(AccumulatorSetGlobalStep(accumulator, Const(g_, int64_t{5}))).ok());
  EXPECT_TRUE(Apply(accumulator, 4, Tensor::Of<float>({3, 5})).ok());
  EXPECT_EQ(Count(accumulator), 1);
  EXPECT_THAT(std::string(Message(Apply(accumulator, 9, Tensor::Of<float>({1, 2, 3})))),
              HasSubstr("Shape mismatch: expected [2], got [3]"));
  EXPECT_THAT(std::string(Message(Take(accumulator, 0).status())),
              HasSubstr("Argument num_required must be positive, but was 0"));
}

TEST_F(AccumulatorTest, SumsOfAnyShapeUntilTheFirst) {
  const Output accumulator =
      ConditionalAccumulator(g_, kFloat, {.shape = {-1, 2}, .reduction_type = "SUM"});
  EXPECT_TRUE(Apply(accumulator, 0, Tensor::Of<float>({1, 2}, {1, 2})).ok());
  EXPECT_THAT(std::string(Message(Apply(accumulator, 0, Tensor::Of<float>({1, 2, 3, 4}, {2, 2})))),
              HasSubstr("Shape mismatch: expected [1,2], got [2,2]"));
  EXPECT_TRUE(Apply(accumulator, 0, Tensor::Of<float>({1, 2}, {1, 2})).ok());
  EXPECT_THAT(Take(accumulator, 2).value()[0].flat<float>(), ElementsAre(2, 4));
}

TEST_F(AccumulatorTest, RowsAreAveragedOverTheGradientsThatHaveThem) {
  const Output accumulator = SparseConditionalAccumulator(g_, kFloat, {.shape = {4, 2}});
  const Output indices = FedTensor(g_, DType::kInt64, {-1}, "i"),
               values = FedTensor(g_, kFloat, {-1, 2}, "v");
  Node* apply = SparseAccumulatorApplyGradient(accumulator, Const(g_, int64_t{0}), indices, values,
                                               Const(g_, Tensor(DType::kInt64, {0})));
  ASSERT_TRUE(g_.status().ok()) << g_.status();
  const auto add = [&](std::initializer_list<int64_t> at, const Tensor& rows) {
    return runner_.RunNode(apply, {{indices, Tensor::Of<int64_t>(at)}, {values, rows}});
  };
  ASSERT_TRUE(add({0, 2}, Tensor::Of<float>({1, 2, 3, 4}, {2, 2})).ok());
  ASSERT_TRUE(add({2, 3}, Tensor::Of<float>({1, 2, 3, 4}, {2, 2})).ok());
  EXPECT_THAT(
      std::string(Message(add({9}, Tensor::Of<float>({1, 2}, {1, 2})))),
      HasSubstr(
          "Shape mismatch: index of slice 0 exceeded limits of shape; index is 9 exceeded 4"));
  EXPECT_THAT(std::string(Message(add({1, 2}, Tensor::Of<float>({1, 2}, {1, 2})))),
              HasSubstr("Expected 2 non-empty input values, got 1"));
  const auto taken = SparseAccumulatorTakeGradient(accumulator, Const(g_, 2), kFloat);
  const auto mean = runner_.Run({taken.indices, taken.values, taken.shape});
  ASSERT_TRUE(mean.ok()) << mean.status();
  EXPECT_THAT((*mean)[0].flat<int64_t>(), ElementsAre(0, 2, 3));
  EXPECT_THAT((*mean)[1].flat<float>(), ElementsAre(1, 2, 2, 3, 3, 4));
  EXPECT_THAT((*mean)[2].flat<int64_t>(), ElementsAre(4, 2));
}

TEST(AccumulatorResource, ACancelledTakeLeavesTheGradientsToTheNext) {
  auto accumulator =
      std::make_shared<Accumulator>(AccumulatorOptions{.op = "ConditionalAccumulator", .name = "a"},
                                    MakeDenseSum(kFloat, PartialShape()));
  Cancellation doomed, step;
  Status first;
  std::vector<Tensor> second;
  accumulator->Take(3, doomed,
                    [&](StatusOr<std::vector<Tensor>> taken) { first = taken.status(); });
  accumulator->Take(2, step,
                    [&](StatusOr<std::vector<Tensor>> taken) { second = *std::move(taken); });
  const Tensor gradient = Tensor::Of<float>({2, 4});
  const Tensor* given[] = {&gradient};
  ASSERT_TRUE(accumulator->Apply(0, given).ok());
  ASSERT_TRUE(accumulator->Apply(0, given).ok());
  EXPECT_TRUE(second.empty());  // the first in line wants three
  doomed.Cancel(absl::CancelledError("over"));
  EXPECT_EQ(first, absl::CancelledError("TakeGrad operation was cancelled"));
  ASSERT_EQ(second.size(), 1u);
  EXPECT_THAT(second[0].flat<float>(), ElementsAre(2, 4));
  ASSERT_TRUE(accumulator->Apply(0, given).ok());
  EXPECT_EQ(accumulator->num_stale(), 1);
  EXPECT_EQ(accumulator->num_accumulated(), 0);
}

}  // namespace
}  // namespace headrace
