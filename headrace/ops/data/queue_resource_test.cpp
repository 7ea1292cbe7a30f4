#include "headrace/ops/data/queue_resource.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;

QueueElement Of(int32_t value) {
  return {Tensor::Scalar(value)};
}
std::vector<QueueElement> Elements(std::initializer_list<int32_t> values) {
  std::vector<QueueElement> elements;
  for (int32_t value : values) elements.push_back(Of(value));
  return elements;
}

// How a call ended, once it has.
struct Ended {
  std::optional<Status> status;
  std::vector<int32_t> taken;
};

class QueueResourceTest : public ::testing::Test {
 protected:
  std::shared_ptr<Queue> Make(int64_t capacity, std::string op = "FIFOQueue",
                              int64_t min_after_dequeue = 0) {
    const QueueOptions options{.op = op,
                               .name = "q",
                               .types = {op == "PriorityQueue" ? DType::kInt64 : DType::kInt32},
                               .capacity = capacity,
                               .min_after_dequeue = min_after_dequeue};
    return std::make_shared<Queue>(options, op == "RandomShuffleQueue" ? MakeShuffledOrder(1, 2)
                                            : op == "PriorityQueue"    ? MakePriorityOrder()
                                                                       : MakeFifoOrder());
  }
  std::shared_ptr<Ended> Put(Queue& queue, std::initializer_list<int32_t> values,
                             Cancellation& step) {
    auto ended = std::make_shared<Ended>();
    queue.Enqueue(Elements(values), step,
                  [ended](Status status) { ended->status = std::move(status); });
    return ended;
  }
  std::shared_ptr<Ended> Put(Queue& queue, std::initializer_list<int32_t> values) {
    return Put(queue, values, step_);
  }
  std::shared_ptr<Ended> Take(Queue& queue, int64_t count, Cancellation& step,
                              Queue::Rest rest = Queue::Rest::kIsError) {
    auto ended = std::make_shared<Ended>();
    queue.Dequeue(count, rest, step, [ended](StatusOr<std::vector<QueueElement>> taken) {
      ended->status = taken.status();
      if (!taken.ok()) return;
      for (const QueueElement& element : *taken)
        ended->taken.push_back(element[0].scalar<int32_t>());
    });
    return ended;
  }
  std::shared_ptr<Ended> Take(Queue& queue, int64_t count,
                              Queue::Rest rest = Queue::Rest::kIsError) {
    return Take(queue, count, step_, rest);
  }
  std::shared_ptr<Ended> Close(Queue& queue, bool cancel_pending = false) {
    auto ended = std::make_shared<Ended>();
    queue.Close(cancel_pending, step_,
                [ended](Status status) { ended->status = std::move(status); });
    return ended;
  }

  Cancellation step_;
};

TEST_F(QueueResourceTest, ElementsComeOutInOrderAndCallsWaitForThem) {
  auto queue = Make(2);
  EXPECT_TRUE(Put(*queue, {1, 2})->status->ok());
  const auto full = Put(*queue, {3, 4, 5});
  EXPECT_FALSE(full->status.has_value());
  EXPECT_EQ(queue->size(), 2);
  EXPECT_THAT(Take(*queue, 1)->taken, ElementsAre(1));
  EXPECT_FALSE(full->status.has_value());
  EXPECT_THAT(Take(*queue, 4)->taken, ElementsAre(2, 3, 4, 5));  // more than there is ever room for
  EXPECT_TRUE(full->status->ok());
  const auto first = Take(*queue, 2), second = Take(*queue, 1);
  Put(*queue, {6, 7, 8});
  EXPECT_THAT(first->taken, ElementsAre(6, 7));
  EXPECT_THAT(second->taken, ElementsAre(8));
}

TEST_F(QueueResourceTest, CloseServesWhoWaitsAndEndsTheRest) {
  auto queue = Make(1);
  Put(*queue, {1});
  const auto waiting = Put(*queue, {2});
  const auto closing = Close(*queue);
  EXPECT_FALSE(closing->status.has_value());  // until what waited before it is served
  EXPECT_FALSE(queue->closed());
  const auto late = Put(*queue, {3});
  EXPECT_THAT(Take(*queue, 1)->taken, ElementsAre(1));
  EXPECT_TRUE(waiting->status->ok() && closing->status->ok() && queue->closed());
  EXPECT_EQ(*late->status, absl::CancelledError("FIFOQueue 'q' is closed."));
  EXPECT_EQ(*Close(*queue)->status, absl::CancelledError("Queue 'q' is already closed."));
  EXPECT_EQ(
      *Take(*queue, 5)->status,
      absl::OutOfRangeError(
          "FIFOQueue 'q' is closed and has insufficient elements (requested 5, current size 1)"));
  EXPECT_THAT(Take(*queue, 5, Queue::Rest::kIsEnough)->taken, ElementsAre(2));
  EXPECT_EQ(
      *Take(*queue, 5, Queue::Rest::kIsEnough)->status,
      absl::OutOfRangeError(
          "FIFOQueue 'q' is closed and has insufficient elements (requested 5, current size 0)"));
}

TEST_F(QueueResourceTest, ATakeThatIsCutShortPutsItsElementsBackInOrder) {
  auto queue = Make(10);
  Put(*queue, {1, 2});
  const auto take = Take(*queue, 5);
  EXPECT_EQ(queue->size(), 0);
  Put(*queue, {3});
  Close(*queue);
  EXPECT_EQ(take->status->code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(Take(*queue, 3)->taken, ElementsAre(1, 2, 3));
}

TEST_F(QueueResourceTest, ClosingWithCancelEndsWaitingEnqueues) {
  auto queue = Make(1);
  Put(*queue, {1});
  const auto waiting = Put(*queue, {2});
  EXPECT_TRUE(Close(*queue, /*cancel_pending=*/true)->status->ok());
  EXPECT_EQ(*waiting->status, absl::CancelledError("Enqueue operation was cancelled"));
  EXPECT_THAT(Take(*queue, 1)->taken, ElementsAre(1));
}

TEST_F(QueueResourceTest, ACancelledStepLosesNoElement) {
  auto queue = Make(10);
  Put(*queue, {1, 2});
  Cancellation doomed;
  const auto take = Take(*queue, 5, doomed);
  const auto behind = Take(*queue, 3);
  EXPECT_EQ(queue->size(), 0);
  doomed.Cancel(absl::CancelledError("over"));
  EXPECT_EQ(*take->status, absl::CancelledError("Dequeue operation was cancelled"));
  Put(*queue, {3});
  EXPECT_THAT(behind->taken, ElementsAre(1, 2, 3));

  Put(*queue, {4});
  EXPECT_EQ(Take(*queue, 1, doomed)->status->code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(queue->size(), 1);
  EXPECT_EQ(Put(*queue, {5}, doomed)->status->code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(queue->size(), 1);

  Cancellation late;
  auto narrow = Make(1);
  const auto put = Put(*narrow, {1, 2, 3}, late);
  late.Cancel(absl::DeadlineExceededError("too late"));
  EXPECT_EQ(*put->status, absl::DeadlineExceededError("too late"));
  EXPECT_THAT(Take(*narrow, 1)->taken, ElementsAre(1));
  EXPECT_EQ(narrow->size(), 0);
}

// Seeds and order as of TensorFlow 1.15: RandomShuffleQueue with seed 1, seed2 2, elements 0 to 9,
// dequeued one by one.
TEST_F(QueueResourceTest, ShuffledOrderIsTensorFlows) {
  auto queue = Make(20, "RandomShuffleQueue", 3);
  Put(*queue, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_THAT(Take(*queue, 7)->taken, ElementsAre(9, 8, 6, 3, 5, 1, 4));
  const auto more = Take(*queue, 3);
  EXPECT_FALSE(more->status.has_value());  // three stay
  EXPECT_EQ(queue->size(), 3);
  Close(*queue);
  EXPECT_THAT(more->taken, ElementsAre(7, 2, 0));
}

TEST_F(QueueResourceTest, PriorityOrderTakesTheLeastOfAll) {
  auto queue = Make(20, "PriorityQueue");
  const auto put = [&](std::initializer_list<int64_t> values) {
    std::vector<QueueElement> elements;
    for (int64_t value : values) elements.push_back({Tensor::Scalar(value)});
    queue->Enqueue(std::move(elements), step_, [](Status) {});
  };
  std::vector<int64_t> taken;
  put({7, 3});
  queue->Dequeue(3, Queue::Rest::kIsError, step_,
                 [&](StatusOr<std::vector<QueueElement>> elements) {
                   for (const QueueElement& element : *elements)
                     taken.push_back(element[0].scalar<int64_t>());
                 });
  EXPECT_EQ(queue->size(), 2);  // none is taken before all three are there
  put({9, 1});
  EXPECT_THAT(taken, ElementsAre(1, 3, 7));
}

TEST_F(QueueResourceTest, CountsTheBytesItHolds) {
  auto queue = Make(4);
  Put(*queue, {1, 2, 3});
  EXPECT_EQ(queue->memory_bytes(), 12);
  Cancellation doomed;
  Take(*queue, 1);
  Take(*queue, 4, doomed);
  EXPECT_EQ(queue->memory_bytes(), 0);
  doomed.Cancel(absl::CancelledError("over"));
  EXPECT_EQ(queue->memory_bytes(), 8);
}

TEST_F(QueueResourceTest, ChecksElements) {
  Queue queue({.op = "FIFOQueue",
               .name = "q",
               .types = {DType::kFloat32, DType::kInt32},
               .shapes = {{2}, Shape()}},
              MakeFifoOrder());
  const Tensor pair = Tensor::Of<float>({1, 2}), three = Tensor::Of<float>({1, 2, 3}),
               one = Tensor::Scalar(1);
  const auto check = [&](std::vector<const Tensor*> components, bool many = false) {
    return std::string(Message(queue.Check(components, many)));
  };
  EXPECT_EQ(check({&pair, &one}), "");
  EXPECT_EQ(check({&pair}), "Wrong number of components in tuple. Expected 2, got 1");
  EXPECT_EQ(check({&pair, &pair}), "Type mismatch in tuple component 1. Expected int32, got float");
  EXPECT_EQ(check({&three, &one}), "Shape mismatch in tuple component 0. Expected [2], got [3]");
  const Tensor pairs = Tensor::Of<float>({1, 2}, {1, 2}), ones = Tensor::Of<int32_t>({1, 2});
  EXPECT_EQ(check({&pairs, &ones}, true),
            "Shape mismatch in tuple component 1. Expected [1], got [2]");
}

// Threads add, take and are cancelled at once: every element that went in comes out once.
TEST_F(QueueResourceTest, NothingIsLostOrDoubledUnderThreads) {
  constexpr int kPerThread = 2000, kThreads = 3;
  auto queue = Make(7);
  std::vector<std::atomic<int>> seen(kPerThread * kThreads);
  std::atomic<int> added{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kPerThread; ++i) {
        Cancellation step;
        auto put = std::make_shared<std::promise<Status>>();
        queue->Enqueue({Of(t * kPerThread + i)}, step,
                       [put](Status status) { put->set_value(std::move(status)); });
        if (i % 7 == 0) step.Cancel(absl::CancelledError("changed its mind"));
        if (put->get_future().get().ok()) {
          ++added;
        } else {
          seen[static_cast<size_t>(t * kPerThread + i)] = 1;  // never went in
        }
      }
    });
  }
  std::vector<std::thread> takers;
  for (int t = 0; t < kThreads; ++t) {
    takers.emplace_back([&, t] {
      for (int i = 0;; ++i) {
        Cancellation step;
        auto took = std::make_shared<std::promise<Status>>();
        queue->Dequeue(1 + t, Queue::Rest::kIsEnough, step,
                       [&seen, took](StatusOr<std::vector<QueueElement>> taken) {
                         if (taken.ok()) {
                           for (const QueueElement& element : *taken)
                             ++seen[static_cast<size_t>(element[0].scalar<int32_t>())];
                         }
                         took->set_value(taken.status());
                       });
        if (i % 5 == 0) step.Cancel(absl::CancelledError("changed its mind"));
        if (absl::IsOutOfRange(took->get_future().get())) return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Close(*queue);
  for (std::thread& thread : takers) thread.join();
  EXPECT_GT(added, kPerThread);
  for (size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], 1) << "element " << i;
}

}  // namespace
}  // namespace headrace
