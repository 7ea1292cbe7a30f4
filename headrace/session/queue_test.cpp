// Steps that wait for each other through queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/data/accumulator.h"
#include "headrace/ops/data/queue.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/variable.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr DType kFloat = DType::kFloat32;
const std::vector<DType> kFloats{kFloat};

// A queue of scalars with a step that adds one and a step that doubles the sum of two.
struct Pipe {
  explicit Pipe(Graph& graph, int64_t capacity = 4) : g(graph) {
    queue = FIFOQueue(g, kFloats, {.shapes = {Shape()}, .capacity = capacity});
    in = Placeholder(g, kFloat, Shape());
    put = QueueEnqueue(queue, std::vector<Output>{in});
    batch = QueueDequeueMany(queue, Const(g, 2), kFloats)[0];
    out = Mul(ReduceSum(batch, 0), Const(g, 2.0f));
    size = QueueSize(queue);
    close = QueueClose(queue);
  }
  Status Put(Session& session, float value) {
    return session.Run({{in, Tensor::Scalar(value)}}, {}, {put}).status();
  }
  int Size(Session& session) { return session.Run({}, {size}).value()[0].scalar<int32_t>(); }

  Graph& g;
  Output queue, in, batch, out, size;
  Node *put, *close;
};

// A thread that runs one step.
class Running {
 public:
  Running(Session& session, Output fetch, RunOptions options = {})
      : thread_([&session, fetch, options, this] {
          result_ = session.Run({}, {fetch}, {}, options);
        }) {}
  StatusOr<std::vector<Tensor>>& Join() {
    if (thread_.joinable()) thread_.join();
    return result_;
  }
  ~Running() { Join().IgnoreError(); }

 private:
  StatusOr<std::vector<Tensor>> result_;
  std::thread thread_;
};

class QueueSessionTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Session> Open(const Graph& g) {
    return Session::Create(g, {.use_plans = GetParam()}).value();
  }
};
INSTANTIATE_TEST_SUITE_P(PlansAndExecutor, QueueSessionTest, ::testing::Bool());

TEST_P(QueueSessionTest, AStepWaitsForWhatOthersAdd) {
  Graph g;
  Pipe pipe(g);
  auto session = Open(g);
  Running waiting(*session, pipe.out);
  std::this_thread::sleep_for(20ms);
  ASSERT_TRUE(pipe.Put(*session, 3).ok());
  ASSERT_TRUE(pipe.Put(*session, 4).ok());
  ASSERT_TRUE(waiting.Join().ok()) << waiting.Join().status();
  EXPECT_EQ((*waiting.Join())[0].scalar<float>(), 14);
  EXPECT_EQ(pipe.Size(*session), 0);
}

TEST_P(QueueSessionTest, TheEndOfAWaitingStepTakesNothingAway) {
  Graph g;
  Pipe pipe(g);
  auto session = Open(g);
  ASSERT_TRUE(pipe.Put(*session, 3).ok());
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(session->Run({}, {pipe.out}, {}, {.timeout = 30ms}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  {
    Cancellation ctrl_c;
    Running waiting(*session, pipe.out, {.cancellation = &ctrl_c});
    std::this_thread::sleep_for(20ms);
    ctrl_c.Cancel(absl::CancelledError("interrupted"));
    EXPECT_EQ(waiting.Join().status().code(), absl::StatusCode::kCancelled);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  EXPECT_EQ(pipe.Size(*session), 1);
  ASSERT_TRUE(pipe.Put(*session, 4).ok());
  EXPECT_EQ(session->Run({}, {pipe.out}).value()[0].scalar<float>(), 14);
}

TEST_P(QueueSessionTest, ClosingTheSessionEndsItsWaits) {
  Graph g;
  Pipe full(g, /*capacity=*/1), empty(g);
  auto session = Open(g);
  ASSERT_TRUE(full.Put(*session, 3).ok());
  Status put;
  std::thread adding([&] { put = full.Put(*session, 4); });
  Running taking(*session, empty.out);
  std::this_thread::sleep_for(20ms);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(session->Close().ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  adding.join();
  EXPECT_EQ(put.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(taking.Join().status().code(), absl::StatusCode::kCancelled);
}

TEST_P(QueueSessionTest, AStepMayTakeWhatItAdds) {
  Graph g;
  Pipe pipe(g);
  auto session = Open(g);
  ASSERT_TRUE(pipe.Put(*session, 3).ok());
  // Nothing orders the two: neither may wait for the other's end.
  auto both = session->Run({{pipe.in, Tensor::Scalar(4.0f)}}, {pipe.out}, {pipe.put});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ((*both)[0].scalar<float>(), 14);
}

TEST_P(QueueSessionTest, ErrorsNameTheNode) {
  Graph g;
  Pipe pipe(g);
  auto session = Open(g);
  ASSERT_TRUE(session->Run({}, {}, {pipe.close}).ok());
  const Status ended = session->Run({}, {pipe.out}).status();
  EXPECT_EQ(ended.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(Message(ended)), HasSubstr("node 'QueueDequeueMany'"));
  EXPECT_THAT(std::string(Message(ended)),
              HasSubstr("is closed and has insufficient elements (requested 2, current size 0)"));
}

TEST_P(QueueSessionTest, ManyThreadsFillAndDrain) {
  constexpr int kEach = 300;
  Graph g;
  Pipe pipe(g, /*capacity=*/3);
  Variable total(g, Const(g, 0.0f), {.name = "total"});
  const Output added = AssignAdd(total.ref(), pipe.out);
  auto session = Open(g);
  ASSERT_TRUE(session->Run({}, {}, {total.initializer()}).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) ASSERT_TRUE(pipe.Put(*session, 1).ok());
    });
    threads.emplace_back([&] {
      for (int i = 0; i < kEach / 2; ++i) ASSERT_TRUE(session->Run({}, {}, {added.node}).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(session->Run({}, {total.value()}).value()[0].scalar<float>(), 4 * kEach);
}

TEST(QueuePlan, AStepThatBeginsOrEndsWithAWaitIsPlanned) {
  Graph g;
  Pipe pipe(g);
  auto session = Session::Create(g).value();
  EXPECT_TRUE(session->MemoryPlan({}, {pipe.out}).ok());
  EXPECT_TRUE(session->MemoryPlan({{pipe.in, Shape()}}, {}, {pipe.put}).ok());
  // Two that take from one queue, in any order.
  const Output other = QueueDequeue(pipe.queue, kFloats)[0];
  EXPECT_TRUE(session->MemoryPlan({}, {pipe.out, other}).ok());
}

TEST(QueuePlan, WaitsThatCouldNeedEachOtherAreNot) {
  Graph g;
  Pipe pipe(g), second(g);
  const Output accumulator = ConditionalAccumulator(g, kFloat);
  Node* apply = AccumulatorApplyGradient(accumulator, Const(g, int64_t{0}), pipe.in);
  const Output mean = AccumulatorTakeGradient(accumulator, Const(g, 1), kFloat);
  auto session = Session::Create(g).value();
  const auto planned = [&](const std::vector<Output>& fetches, const std::vector<Node*>& targets) {
    return session->MemoryPlan({{pipe.in, Shape()}}, fetches, targets).status().code() !=
           absl::StatusCode::kUnimplemented;
  };
  EXPECT_FALSE(planned({pipe.out}, {pipe.put}));
  EXPECT_FALSE(planned({pipe.out, second.out}, {}));
  EXPECT_FALSE(planned({pipe.out}, {pipe.close}));
  EXPECT_FALSE(planned({mean}, {apply}));
  EXPECT_TRUE(planned({mean}, {}));
  auto both = session->Run({{pipe.in, Tensor::Scalar(5.0f)}}, {mean}, {apply});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_EQ((*both)[0].scalar<float>(), 5);
}

// Another step uses the GPU while this one waits for its input.
TEST(QueuePlan, AWaitHoldsUpNoDevice) {
  Graph g;
  Pipe pipe(g);
  Output on_gpu, other;
  {
    DeviceScope gpu(g, "/gpu:0");
    on_gpu = Add(pipe.out, Const(g, 1.0f));
    other = Mul(pipe.in, Const(g, 3.0f));
  }
  SessionOptions options;
  options.devices.simulated_gpus = 1;
  auto session = Session::Create(g, std::move(options)).value();
  const auto plan = session->MemoryPlan({}, {on_gpu});
  EXPECT_TRUE(plan.ok()) << plan.status();
  Running waiting(*session, on_gpu);
  std::this_thread::sleep_for(20ms);
  for (float value : {3.0f, 4.0f}) {
    EXPECT_EQ(session->Run({{pipe.in, Tensor::Scalar(value)}}, {other}, {}, {.timeout = 5000ms})
                  .value()[0]
                  .scalar<float>(),
              3 * value);
    ASSERT_TRUE(pipe.Put(*session, value).ok());
  }
  ASSERT_TRUE(waiting.Join().ok()) << waiting.Join().status();
  EXPECT_EQ((*waiting.Join())[0].scalar<float>(), 15);
  EXPECT_EQ(session->Run({}, {on_gpu}, {}, {.timeout = 30ms}).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace headrace
