#include "headrace/ops/data/queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/testing/graph_runner.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using testing::FedTensor;
using ::testing::HasSubstr;

constexpr DType kInt = DType::kInt32, kFloat = DType::kFloat32;

class QueueTest : public ::testing::Test {
 protected:
  Output Ints(std::initializer_list<int32_t> values) {
    return Const(g_, Tensor::Of<int32_t>(values));
  }
  Output Count(int32_t n) { return Const(g_, n); }
  Status Do(Node* node, const testing::Feeds& feeds = {}) {
    if (!g_.status().ok()) return g_.status();
    return runner_.RunNode(node, feeds);
  }
  StatusOr<std::vector<Tensor>> Get(const std::vector<Output>& outputs,
                                    const testing::Feeds& feeds = {}) {
    HR_RETURN_IF_ERROR(g_.status());
    return runner_.Run(outputs, feeds);
  }
  std::string Error(const std::vector<Output>& outputs, const testing::Feeds& feeds = {}) {
    return std::string(Message(Get(outputs, feeds).status()));
  }
  std::vector<int32_t> TakeInts(Output queue, int32_t n) {
    const std::vector<DType> types{kInt};
    const auto taken = Get(QueueDequeueMany(queue, Count(n), types));
    EXPECT_TRUE(taken.ok()) << taken.status();
    if (!taken.ok()) return {};
    const auto values = (*taken)[0].flat<int32_t>();
    return {values.begin(), values.end()};
  }

  Graph g_;
  testing::GraphRunner runner_;
};

TEST_F(QueueTest, HoldsElementsBetweenSteps) {
  const Output queue = FIFOQueue(g_, {kFloat, kInt}, {.shapes = {{2}, Shape()}, .capacity = 10});
  const Output x = FedTensor(g_, kFloat, {-1, 2}, "x"), y = FedTensor(g_, kInt, {-1}, "y");
  Node* many = QueueEnqueueMany(queue, std::vector<Output>{x, y});
  Node* one =
      QueueEnqueue(queue, std::vector<Output>{Const(g_, Tensor::Of<float>({7, 8})), Count(9)});
  const std::vector<DType> types{kFloat, kInt};
  const std::vector<Output> first = QueueDequeue(queue, types),
                            rest = QueueDequeueMany(queue, Count(2), types);
  const Output size = QueueSize(queue), closed = QueueIsClosed(queue);
  EXPECT_EQ(first[0].shape(), PartialShape({2}));
  EXPECT_EQ(rest[0].shape(), PartialShape({2, 2}));
  EXPECT_EQ(rest[1].shape(), PartialShape({2}));

  ASSERT_TRUE(
      Do(many, {{x, Tensor::Of<float>({1, 2, 3, 4}, {2, 2})}, {y, Tensor::Of<int32_t>({5, 6})}})
          .ok());
  ASSERT_TRUE(Do(one).ok());
  EXPECT_EQ((*Get({size}))[0].scalar<int32_t>(), 3);
  const auto taken = Get(first);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_THAT((*taken)[0].flat<float>(), ElementsAre(1, 2));
  EXPECT_EQ((*taken)[1].scalar<int32_t>(), 5);
  const auto batch = Get(rest);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_THAT((*batch)[0].flat<float>(), ElementsAre(3, 4, 7, 8));
  EXPECT_THAT((*batch)[1].flat<int32_t>(), ElementsAre(6, 9));

  EXPECT_FALSE((*Get({closed}))[0].scalar<bool>());
  ASSERT_TRUE(Do(QueueClose(queue)).ok());
  EXPECT_TRUE((*Get({closed}))[0].scalar<bool>());
  const Status empty = Get(first).status();
  EXPECT_EQ(empty.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(Message(empty)),
              HasSubstr("is closed and has insufficient elements (requested 1, current size 0)"));
  EXPECT_EQ(Do(one).code(), absl::StatusCode::kCancelled);
}

TEST_F(QueueTest, TheFirstFormIsARefToContainerAndName) {
  Node* node = *g_.AddNode({.op = "FIFOQueue",
                            .name = "old",
                            .attrs = {{"component_types", AttrValue::Types{kInt}},
                                      {"shapes", AttrValue::Shapes{Shape()}}}});
  const Output queue = node->output(0);
  EXPECT_TRUE(IsRef(queue.dtype()));
  Node* put = QueueEnqueueMany(queue, std::vector<Output>{Ints({1, 2, 3})});
  EXPECT_EQ(put->op_name(), "QueueEnqueueMany");
  ASSERT_TRUE(Do(put).ok());
  EXPECT_THAT(TakeInts(queue, 2), ElementsAre(1, 2));
  EXPECT_EQ((*Get({QueueSize(queue)}))[0].scalar<int32_t>(), 1);
  const auto name = Get({queue});
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_THAT((*name)[0].flat<std::string>(), ElementsAre("", "old"));
}

TEST_F(QueueTest, NodesWithOneSharedNameShareTheQueue) {
  const QueueNodeOptions options{.shapes = {Shape()}, .capacity = 5, .shared_name = "q"};
  ASSERT_TRUE(
      Do(QueueEnqueueMany(FIFOQueue(g_, {kInt}, options), std::vector<Output>{Ints({1, 2})})).ok());
  EXPECT_THAT(TakeInts(FIFOQueue(g_, {kInt}, options), 2), ElementsAre(1, 2));
  const auto with = [&](auto change) {
    QueueNodeOptions other = options;
    change(other);
    return Error({QueueSize(FIFOQueue(g_, {kInt}, other))});
  };
  EXPECT_THAT(with([](auto& o) { o.capacity = 4; }),
              HasSubstr("Shared queue 'q' has capacity 5 but requested capacity was 4"));
  EXPECT_THAT(
      with([](auto& o) { o.shapes = {{3}}; }),
      HasSubstr(
          "Shared queue 'q' has component shapes [[]] but requested component shapes were [[3]]"));
  EXPECT_THAT(
      Error({QueueSize(FIFOQueue(g_, {kFloat}, options))}),
      HasSubstr(
          "Shared queue 'q' has component types int32 but requested component types were float"));
  EXPECT_THAT(Error({QueueSize(PaddingFIFOQueue(g_, {kInt}, options))}),
              HasSubstr("Shared queue 'q' is a FIFOQueue, this node says PaddingFIFOQueue"));
}

TEST_F(QueueTest, BatchesOfAPaddingQueueAreAsLargeAsTheirLargestElement) {
  const Output queue = PaddingFIFOQueue(g_, {kInt, DType::kString}, {.shapes = {{-1, 2}, {-1}}});
  const Output x = FedTensor(g_, kInt, {-1, 2}, "x"), s = FedTensor(g_, DType::kString, {-1}, "s");
  Node* put = QueueEnqueue(queue, std::vector<Output>{x, s});
  ASSERT_TRUE(
      Do(put, {{x, Tensor::Of<int32_t>({1, 2}, {1, 2})}, {s, Tensor::Of<std::string>({"a", "b"})}})
          .ok());
  ASSERT_TRUE(
      Do(put, {{x, Tensor::Of<int32_t>({3, 4, 5, 6}, {2, 2})}, {s, Tensor::Of<std::string>({"c"})}})
          .ok());
  const std::vector<DType> types{kInt, DType::kString};
  const std::vector<Output> both = QueueDequeueMany(queue, Count(2), types);
  EXPECT_EQ(both[0].shape(), PartialShape({2, -1, 2}));
  const auto batch = Get(both);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ((*batch)[0].shape(), Shape({2, 2, 2}));
  EXPECT_THAT((*batch)[0].flat<int32_t>(), ElementsAre(1, 2, 0, 0, 3, 4, 5, 6));
  EXPECT_THAT((*batch)[1].flat<std::string>(), ElementsAre("a", "b", "c", ""));
  EXPECT_EQ(Get(QueueDequeueMany(queue, Count(0), types)).value()[0].shape(), Shape({0, 0, 2}));
}

TEST_F(QueueTest, PriorityQueuesGiveTheLeastFirst) {
  const Output queue = PriorityQueue(g_, {kInt}, {.shapes = {Shape()}});
  const Output priority = FedTensor(g_, DType::kInt64, {-1}, "p");
  ASSERT_TRUE(Do(QueueEnqueueMany(queue, std::vector<Output>{priority, Ints({1, 2, 3})}),
                 {{priority, Tensor::Of<int64_t>({30, 10, 20})}})
                  .ok());
  const std::vector<DType> types{DType::kInt64, kInt};
  const auto taken = Get(QueueDequeueMany(queue, Count(3), types));
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_THAT((*taken)[0].flat<int64_t>(), ElementsAre(10, 20, 30));
  EXPECT_THAT((*taken)[1].flat<int32_t>(), ElementsAre(2, 3, 1));
}

TEST_F(QueueTest, UpToTakesTheRestOfAClosedQueue) {
  const Output queue = FIFOQueue(g_, {kInt}, {.shapes = {Shape()}});
  ASSERT_TRUE(Do(QueueEnqueueMany(queue, std::vector<Output>{Ints({1, 2})})).ok());
  ASSERT_TRUE(Do(QueueClose(queue)).ok());
  const std::vector<DType> types{kInt};
  const std::vector<Output> up_to = QueueDequeueUpTo(queue, Count(5), types);
  EXPECT_EQ(up_to[0].shape(), PartialShape({-1}));
  const auto taken = Get(up_to);
  ASSERT_TRUE(taken.ok()) << taken.status();
  EXPECT_THAT((*taken)[0].flat<int32_t>(), ElementsAre(1, 2));
  EXPECT_EQ(Get(up_to).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(QueueTest, ErrorsSayWhatWouldHaveBeenRight) {
  const std::vector<DType> ints{kInt}, floats{kFloat};
  const Output shapeless = FIFOQueue(g_, {kInt});
  EXPECT_THAT(Error(QueueDequeueMany(shapeless, Count(1), ints)),
              HasSubstr("FIFOQueue's DequeueMany and DequeueUpTo require the components to have "
                        "specified shapes."));
  EXPECT_THAT(Error(QueueDequeue(shapeless, floats)),
              HasSubstr("holds components of types int32, this node gives float"));
  const Output n = FedTensor(g_, kInt, Shape(), "n"),
               rows = FedTensor(g_, kInt, PartialShape(), "rows");
  const Output queue = FIFOQueue(g_, {kInt}, {.shapes = {{2}}});
  EXPECT_THAT(Error(QueueDequeueMany(queue, n, ints), {{n, Tensor::Scalar<int32_t>(-1)}}),
              HasSubstr("DequeueManyOp requested -1 < 0 elements"));
  EXPECT_THAT(std::string(Message(Do(QueueEnqueue(queue, std::vector<Output>{rows}),
                                     {{rows, Tensor::Of<int32_t>({1, 2, 3})}}))),
              HasSubstr("Shape mismatch in tuple component 0. Expected [2], got [3]"));
  EXPECT_THAT(
      Error({QueueSize(RandomShuffleQueue(g_, {kInt}, {.capacity = 2, .min_after_dequeue = 2}))}),
      HasSubstr("min_after_dequeue 2 must be < capacity 2"));
  EXPECT_THAT(Error({QueueSize(FIFOQueue(g_, {kInt, kInt}, {.shapes = {Shape()}}))}),
              HasSubstr("Different number of component types.  Types: int32, int32, Shapes: [[]]"));
  EXPECT_THAT(Error({QueueSize(Const(g_, 1.0f))}), HasSubstr("resource"));
}

// A queue keeps values, not the memory of the step or of the program that they came from.
TEST_F(QueueTest, ElementsDoNotChangeWithWhatTheyWereMadeFrom) {
  float program[2] = {1, 2};
  const Output queue = FIFOQueue(g_, {kFloat}, {.shapes = {{2}}});
  const Output x = FedTensor(g_, kFloat, {2}, "x");
  ASSERT_TRUE(
      Do(QueueEnqueue(queue, std::vector<Output>{x}), {{x, Tensor::View(kFloat, {2}, program)}})
          .ok());
  program[0] = 5;
  const std::vector<DType> types{kFloat};
  EXPECT_THAT(Get(QueueDequeue(queue, types)).value()[0].flat<float>(), ElementsAre(1, 2));
}

}  // namespace
}  // namespace headrace
