#include "headrace/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/variable.h"
#include "headrace/runtime/testing/test_ops.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;
using testing::TestAdd;
using testing::TestMul;
using testing::TestUpdate;
using testing::Unary;

std::vector<float> Floats(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.num_elements()};
}
std::unique_ptr<Session> MakeSession(const Graph& g, SessionOptions options = {}) {
  auto session = Session::Create(g, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}
void ExpectError(const Status& status, absl::StatusCode code, std::string_view part) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(Message(status)), HasSubstr(std::string(part)));
}

struct AffineGraph {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"});
  Output y = TestAdd(TestMul(x, Const(g, 2.0f)), Const(g, 1.0f), "y");
};

TEST(Session, RunsWithFeedsAndFetches) {
  AffineGraph a;
  auto session = MakeSession(a.g);
  for (int i = 0; i < 3; ++i) {
    auto out = session->Run({{a.x, Tensor::Of<float>({1, 2, 3})}}, {a.y, a.x});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{3, 5, 7}));
    EXPECT_EQ(Floats((*out)[1]), (std::vector<float>{1, 2, 3}));
  }
  auto other = session->Run({{a.x, Tensor::Of<float>({4})}}, {a.y});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(Floats((*other)[0]), (std::vector<float>{9}));
}

TEST(Session, RunsByName) {
  AffineGraph a;
  auto session = MakeSession(a.g);
  for (int i = 0; i < 2; ++i) {
    auto out = session->RunByName({{"x:0", Tensor::Of<float>({1, 2})}}, {"y"});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{3, 5}));
  }
}

TEST(Session, VariablesKeepTheirValueBetweenRuns) {
  Graph g;
  Variable w(g, {1.0f, 2.0f}, {.name = "w"});
  Output next = TestUpdate(w.ref(), Const(g, 10.0f));
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
  for (int i = 1; i <= 3; ++i) {
    auto out = session->Run({}, {next});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{1.0f + 10 * i, 2.0f + 10 * i}));
  }
}

TEST(Session, UninitializedVariableNamesReaderAndVariable) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  Output y = TestAdd(w.value(), Const(g, 1.0f), "y");
  auto session = MakeSession(g);
  auto out = session->Run({}, {y});
  ExpectError(out.status(), absl::StatusCode::kFailedPrecondition,
              "Attempting to use uninitialized value w");
  EXPECT_THAT(std::string(Message(out.status())), HasSubstr("session_test.cpp"));
}

TEST(Session, FeedErrorsSayWhatWouldBeRight) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1, 784}, {.name = "x"});
  Output y = TestAdd(x, x, "y");
  auto session = MakeSession(g);
  ExpectError(session->Run({{x, Tensor::Of<float>({1, 2})}}, {y}).status(),
              absl::StatusCode::kInvalidArgument,
              "Cannot feed value of shape [2] for Tensor 'x:0', which has shape '[?,784]'");
  ExpectError(session->Run({{x, Tensor(DType::kInt32, Shape{1, 784})}}, {y}).status(),
              absl::StatusCode::kInvalidArgument, "float32");
  Tensor good(DType::kFloat32, Shape{1, 784});
  std::fill_n(good.data<float>(), 784, 0.0f);
  ExpectError(session->Run({{x, good}, {x, good}}, {y}).status(),
              absl::StatusCode::kInvalidArgument, "fed twice");
  ExpectError(
      session->Run({}, {y}).status(), absl::StatusCode::kInvalidArgument,
      "You must feed a value for placeholder tensor 'x' with dtype float and shape [?,784]");
  ExpectError(session->RunByName({{"nothing:0", good}}, {"y:0"}).status(),
              absl::StatusCode::kNotFound, "nothing");
  EXPECT_TRUE(session->Run({{x, good}}, {y}).ok());
}

TEST(Session, FetchErrors) {
  Graph g, other;
  Output a = Const(g, 1.0f, {.name = "a"});
  Output b = Const(other, 1.0f, {.name = "b"});
  auto session = MakeSession(g);
  ExpectError(session->Run({}, {Output{}}).status(), absl::StatusCode::kInvalidArgument, "fetch");
  ExpectError(session->Run({}, {b}).status(), absl::StatusCode::kInvalidArgument, "not an element");
  ExpectError(session->Run({}, {Output{a.node, 3}}).status(), absl::StatusCode::kInvalidArgument,
              "1 outputs");
  ExpectError(session->Run({}, {}, {nullptr}).status(), absl::StatusCode::kInvalidArgument,
              "target");
}

TEST(Session, GraphErrorIsReturned) {
  Graph g;
  g.ReportError(InvalidArgument("a bad node"));
  ExpectError(Session::Create(g).status(), absl::StatusCode::kInvalidArgument, "a bad node");
}

TEST(Session, KernelErrorNamesNodeAndLineAndNothingIsFetched) {
  Graph g;
  Output x = Const(g, {1.0f, 2.0f});
  Output bad = Unary("TestFail", Unary("TestHook", x), "bad");
  auto session = MakeSession(g);
  auto callable = session->MakeCallable({}, {bad, x});
  ASSERT_TRUE(callable.ok());
  std::vector<Tensor> fetches(2);
  Status status = (*callable)({}, &fetches);
  ExpectError(status, absl::StatusCode::kInvalidArgument, "this op always fails");
  EXPECT_THAT(std::string(Message(status)),
              HasSubstr("op 'TestFail' node 'bad' (session_test.cpp:"));
  EXPECT_TRUE(fetches.empty());
}

TEST(Session, FailingConstantIsReportedOnlyWhenItRuns) {
  Graph g;
  Output x = Const(g, {1.0f, 2.0f});
  Output bad = Unary("TestFail", x, "bad");
  Output good = TestAdd(x, x);
  auto session = MakeSession(g);
  EXPECT_TRUE(session->Run({}, {good}).ok());
  EXPECT_FALSE(session->Run({}, {bad}).ok());
}

TEST(Session, ReadWithoutOrderComesBeforeTheWrite) {
  Graph g;
  Variable w(g, {1.0f, 2.0f}, {.name = "w"});
  // The write comes first in the graph, the read later.
  Output update = TestUpdate(w.ref(), Const(g, 10.0f), "update");
  Output read = TestAdd(w.value(), Const(g, 0.5f), "read_after_in_graph");
  for (const bool optimize : {true, false}) {
    for (const bool plans : {true, false}) {
      auto session = MakeSession(g, {.optimize = optimize, .use_plans = plans});
      ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
      for (int i = 0; i < 5; ++i) {
        auto out = session->Run({}, {update, read, w.ref()});
        ASSERT_TRUE(out.ok()) << out.status();
        EXPECT_EQ(Floats((*out)[1]), (std::vector<float>{1.5f + 10 * i, 2.5f + 10 * i}));
        EXPECT_EQ(Floats((*out)[2]), (std::vector<float>{11.0f + 10 * i, 12.0f + 10 * i}));
        EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{11.0f + 10 * i, 12.0f + 10 * i}));
      }
    }
  }
}

TEST(Session, FetchedVariableIsWhatTheStepLeaves) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  Output first = AssignAdd(w.ref(), Const(g, Tensor::Of<float>({10})));
  Output second = AssignAdd(w.ref(), Const(g, Tensor::Of<float>({100})));
  Output copy = Identity(w.value());
  for (const bool plans : {true, false}) {
    auto session = MakeSession(g, {.use_plans = plans});
    ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
    for (int i = 1; i < 4; ++i) {
      auto out = session->Run({}, {w.ref(), first, copy, second});
      ASSERT_TRUE(out.ok()) << out.status();
      for (const Tensor& value : *out) EXPECT_EQ(Floats(value)[0], 1 + 110 * i);
    }
  }
}

TEST(Session, FetchedIdentityThatIsBeforeAWriteStaysBefore) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  Output old = Identity(w.ref());
  Output update;
  {
    ControlDependencies ordered(g, {old});
    update = AssignAdd(w.ref(), Const(g, Tensor::Of<float>({10})));
  }
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
  auto out = session->Run({}, {old, update});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Floats((*out)[0])[0], 1);
  EXPECT_EQ(Floats((*out)[1])[0], 11);
}

TEST(Session, ReadsAfterDifferentWritesDoNotWaitForEachOther) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  Output first = AssignAdd(w.ref(), Const(g, Tensor::Of<float>({10})));
  Output second = AssignAdd(w.ref(), Const(g, Tensor::Of<float>({100})));
  Output sum = TestAdd(TestMul(Identity(first), Const(g, 1000.0f)), Identity(second));
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
  auto out = session->Run({}, {sum});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Floats((*out)[0])[0], 11111);
}

TEST(Session, ReadAfterAWriteByControlEdgeSeesIt) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  Output update = TestUpdate(w.ref(), Const(g, 10.0f), "update");
  Output before = Identity(w.ref(), {.name = "before"});
  Output after;
  {
    ControlDependencies ordered(g, {update});
    after = Identity(w.ref(), {.name = "after"});
  }
  Output sum = TestAdd(TestMul(before, Const(g, 1000.0f)), after);
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
  auto out = session->Run({}, {sum});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{1011}));
}

// In TensorFlow 1 "w/read" shares the variable's bytes: what is ordered after a write sees it.
TEST(Session, NodeAfterAWriteSeesItThroughAReadThatIsNot) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  Output before = TestMul(w.value(), Const(g, 1000.0f));  // feeds the update: the read is before it
  Output update = TestUpdate(w.ref(), Const(g, 10.0f), "update");
  ASSERT_TRUE(g.AddControlInput(*update.node, *before.node).ok());
  Output after, kept;
  {
    ControlDependencies ordered(g, {update});
    after = TestAdd(w.value(), before);
    kept = TestAdd(Identity(before), Const(g, 0.0f));  // an own node's value is what it was
  }
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
  auto out = session->Run({}, {after, kept});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{1011}));
  EXPECT_EQ(Floats((*out)[1]), (std::vector<float>{1000}));
}

// As in TensorFlow 1, whose `w/read` shares the variable's bytes.
TEST(Session, ACopyShowsTheVariableAsItIsForWhoComesAfterAWrite) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  Output update = AssignAdd(w.ref(), Const(g, Tensor::Of<float>({10})));
  Output free = TestMul(w.value(), Const(g, 100.0f)), after;
  {
    ControlDependencies ordered(g, {update});
    after = TestMul(w.value(), Const(g, 100.0f));
  }
  Output old = Identity(w.ref(), {.name = "old"}), difference, more;
  {
    ControlDependencies kept(g, {old});
    more = AssignAdd(w.ref(), Const(g, Tensor::Of<float>({5})));
  }
  {
    ControlDependencies ordered(g, {more});
    difference = TestAdd(w.value(), TestMul(old, Const(g, -1.0f)));
  }
  for (const bool plans : {true, false}) {
    auto session = MakeSession(g, {.use_plans = plans});
    ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
    auto out = session->Run({}, {free, after});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0])[0], 100);
    EXPECT_EQ(Floats((*out)[1])[0], 1100);
    out = session->Run({}, {difference});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0])[0], 5);
  }
}

TEST(Session, TwoVariablesSwap) {
  Graph g;
  Variable a(g, {1.0f}, {.name = "a"}), b(g, {2.0f}, {.name = "b"});
  Output to_a = Assign(a.ref(), b.value()), to_b = Assign(b.ref(), a.value());
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {a.initializer(), b.initializer()}).ok());
  for (int i = 0; i < 3; ++i) {
    auto out = session->Run({}, {to_a, to_b});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0])[0], i % 2 == 0 ? 2 : 1);
    EXPECT_EQ(Floats((*out)[1])[0], i % 2 == 0 ? 1 : 2);
  }
}

TEST(Session, FetchedVariableDoesNotChangeLater) {
  Graph g;
  Variable w(g, {1.0f}, {.name = "w"});
  Output update = TestUpdate(w.ref(), Const(g, 1.0f));
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
  auto before = session->Run({}, {w.ref()});
  ASSERT_TRUE(session->Run({}, {update}).ok());
  EXPECT_EQ(Floats((*before)[0]), (std::vector<float>{1}));
}

TEST(Session, FetchedTensorsAreNotWrittenOverWhileTheyAreFed) {
  AffineGraph a;
  auto session = MakeSession(a.g);
  auto step = session->MakeCallable({a.x}, {a.y});
  ASSERT_TRUE(step.ok());
  std::vector<Tensor> values{Tensor::Of<float>({1, 2})};
  for (int i = 0; i < 4; ++i) ASSERT_TRUE((*step)(values, &values).ok());
  EXPECT_EQ(Floats(values[0]), (std::vector<float>{31, 47}));
}

TEST(Session, SteadyStepAllocatesNothing) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"});
  Variable w(g, Tensor::Of<float>({1, 2, 3, 4}), {.name = "w"});
  Output h = x;
  for (int i = 0; i < 20; ++i) h = TestAdd(TestMul(h, w.value()), Const(g, 0.5f));
  Output loss = Unary("TestSum", h);
  Output update = TestUpdate(w.ref(), loss);
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
  auto step = session->MakeCallable({x}, {loss}, {update.node});
  ASSERT_TRUE(step.ok());
  const std::vector<Tensor> feeds{Tensor::Of<float>({0, 0, 0, 0})};
  std::vector<Tensor> fetches;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE((*step)(feeds, &fetches).ok());
  const int64_t host = HostAllocator().stats().allocations;
  const int64_t device = session->devices().cpu().allocator().stats().allocations;
  for (int i = 0; i < 10; ++i) ASSERT_TRUE((*step)(feeds, &fetches).ok());
  EXPECT_EQ(HostAllocator().stats().allocations, host);
  EXPECT_EQ(session->devices().cpu().allocator().stats().allocations, device);
}

TEST(Session, ManyShapesOfOneFeedStayCorrect) {
  AffineGraph a;
  auto session = MakeSession(a.g);
  for (int round = 0; round < 2; ++round) {
    for (int n = 0; n < 40; ++n) {
      Tensor x(DType::kFloat32, Shape{n});
      std::fill_n(x.data<float>(), n, static_cast<float>(n));
      auto out = session->Run({{a.x, x}}, {a.y});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ(Floats((*out)[0]), std::vector<float>(n, 2.0f * n + 1));
    }
  }
}

TEST(Session, SimulatedGpusGiveTheSameBits) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"});
  Output parts[2];
  for (int i = 0; i < 2; ++i) {
    DeviceScope on(g, StrCat("/gpu:", i));
    Output split = Unary("TestHook", x, StrCat("tower", i));
    parts[i] = TestMul(TestAdd(split, Const(g, 1.0f + i)), split);
  }
  Output sum;
  {
    DeviceScope on(g, "/cpu:0");
    sum = TestAdd(parts[0], parts[1], "sum");
  }
  for (const bool plans : {true, false}) {
    auto session = MakeSession(
        g, {.devices = {.simulated_gpus = 2, .simulated_gpu_bytes = 1 << 24}, .use_plans = plans});
    ASSERT_NE(session, nullptr);
    for (int i = 0; i < 20; ++i) {
      auto out = session->Run({{x, Tensor::Of<float>({1, 2, 3})}}, {sum, parts[1]});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{5, 14, 27}));
      EXPECT_EQ(Floats((*out)[1]), (std::vector<float>{3, 8, 15}));
    }
  }
}

TEST(Session, ErrorOnOneDeviceEndsTheStepOnAll) {
  Graph g;
  Output x = Const(g, {1.0f, 2.0f});
  Output bad, waits;
  {
    DeviceScope on(g, "/gpu:0");
    bad = Unary("TestFail", Unary("TestHook", x), "bad");
  }
  {
    DeviceScope on(g, "/gpu:1");
    waits = TestAdd(bad, bad, "waits");
  }
  Output last;
  {
    DeviceScope on(g, "/cpu:0");
    last = TestAdd(waits, x, "last");
  }
  for (const bool plans : {true, false}) {
    auto session = MakeSession(
        g, {.devices = {.simulated_gpus = 2, .simulated_gpu_bytes = 1 << 24}, .use_plans = plans});
    for (int i = 0; i < 3; ++i) {
      auto out = session->Run({}, {last});
      ExpectError(out.status(), absl::StatusCode::kInvalidArgument, "node 'bad'");
    }
  }
}

TEST(Session, OutOfMemoryNamesTheLargestTensor) {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"});
  Output big = TestAdd(Unary("TestHook", x, "big"), Const(g, 1.0f));
  Output y = Unary("TestSum", big);
  auto session = MakeSession(g, {.devices = {.simulated_gpus = 1, .simulated_gpu_bytes = 1 << 20}});
  ASSERT_NE(session, nullptr);
  Tensor too_big(DType::kFloat32, Shape{1 << 19});
  std::fill_n(too_big.data<float>(), 1 << 19, 1.0f);
  Status status = session->Run({{x, too_big}}, {y}).status();
  ExpectError(status, absl::StatusCode::kResourceExhausted, "big");
  const std::string text(Message(status));
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25);
  auto small = session->Run({{x, Tensor::Of<float>({1, 2})}}, {y});  // the session stays usable
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ((*small)[0].scalar<float>(), 5);
}

TEST(Session, CancellationAndDeadlineEndARunThatWaits) {
  Graph g;
  DeviceScope on(g, "/cpu:0");
  Output x = Const(g, 1.0f);
  Output never = Unary("TestWait", x, "never");
  auto session = MakeSession(g);
  auto started = std::chrono::steady_clock::now();
  ExpectError(session->Run({}, {never}, {}, {.timeout = std::chrono::milliseconds(50)}).status(),
              absl::StatusCode::kDeadlineExceeded, "deadline");
  Cancellation stop;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop.Cancel(absl::CancelledError("a person pressed Ctrl-C"));
  });
  ExpectError(session->Run({}, {never}, {}, {.cancellation = &stop}).status(),
              absl::StatusCode::kCancelled, "Ctrl-C");
  canceller.join();
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
  EXPECT_TRUE(session->Run({}, {x}).ok());
}

TEST(Session, CloseEndsWhatRunsAndRefusesMore) {
  Graph g;
  Output x = Const(g, 1.0f);
  Output never = Unary("TestWait", x, "never");
  auto session = MakeSession(g);
  auto callable = session->MakeCallable({}, {x});
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_TRUE(session->Close().ok());
  });
  ExpectError(session->Run({}, {never}).status(), absl::StatusCode::kCancelled,
              "Session has been closed.");
  closer.join();
  ExpectError(session->Run({}, {x}).status(), absl::StatusCode::kCancelled,
              "Session has been closed.");
  std::vector<Tensor> out;
  ExpectError((*callable)({}, &out), absl::StatusCode::kCancelled, "Session has been closed.");
  EXPECT_TRUE(session->Close().ok());
}

TEST(Session, SeveralThreadsRunAtOnce) {
  AffineGraph a;
  for (const bool plans : {true, false}) {
    auto session = MakeSession(a.g, {.use_plans = plans});
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          const float v = static_cast<float>(100 * t + i);
          auto out = session->Run({{a.x, Tensor::Of<float>({v, v + 1})}}, {a.y});
          if (!out.ok() || Floats((*out)[0]) != std::vector<float>{2 * v + 1, 2 * v + 3}) ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Session, GraphMayGrowBetweenRuns) {
  Graph g;
  Output x = Const(g, 1.0f, {.name = "x"});
  auto session = MakeSession(g);
  std::vector<std::string> warnings;
  SetLogSink([&](LogLevel, std::string_view text) { warnings.emplace_back(text); });
  Output sum = x;
  for (int i = 0; i < 15; ++i) {
    sum = TestAdd(sum, x);
    auto out = session->Run({}, {sum});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ((*out)[0].scalar<float>(), 2.0f + i);
  }
  SetLogSink({});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("session_test.cpp"));
}

TEST(Session, PlacementIsDataAndLog) {
  Graph g;
  Output a = Const(g, {1.0f}, {.name = "a"}), b = Const(g, {2.0f}, {.name = "b"});
  Output sum = TestAdd(a, b, "add");
  ::testing::internal::CaptureStdout();
  auto session = MakeSession(g, {.log_device_placement = true});
  ASSERT_TRUE(session->Run({}, {sum}).ok());
  ASSERT_TRUE(session->Run({}, {sum}).ok());
  const std::string log = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(log, ::testing::StartsWith("Device mapping:"));
  const std::string line = "add: (TestAdd): /job:localhost/replica:0/task:0/device:CPU:0\n";
  ASSERT_THAT(log, HasSubstr(line));
  EXPECT_EQ(log.find(line), log.rfind(line));
  auto device = session->Placement(*sum.node);
  ASSERT_TRUE(device.ok());
  EXPECT_EQ(*device, "/job:localhost/replica:0/task:0/device:CPU:0");
}

TEST(Session, TraceHasEveryKernelWithItsDevice) {
  AffineGraph a;
  auto session = MakeSession(a.g);
  RunMetadata metadata;
  ASSERT_TRUE(
      session->Run({{a.x, Tensor::Of<float>({1})}}, {a.y}, {}, {.trace = true}, &metadata).ok());
  const auto events = metadata.trace.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].node, a.y.node);
  EXPECT_EQ(events[1].output_bytes, 4);
  EXPECT_THAT(metadata.ToChromeTrace(), HasSubstr("\"TestAdd\""));
  EXPECT_THAT(metadata.trace.ToRunMetadata(), HasSubstr("device:CPU:0"));
}

TEST(Session, MemoryPlanWithoutRunning) {
  AffineGraph a;
  auto session = MakeSession(a.g);
  auto plan = session->MemoryPlan({{a.x, Shape{1000}}}, {a.y});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_GE((*plan)[0].arena_bytes, 4000);
  EXPECT_EQ((*plan)[0].unplanned, 0);
}

}  // namespace
}  // namespace headrace
