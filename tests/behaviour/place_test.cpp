// Placement as people meet it: what runs where, what is refused and how it says so. Rows and tests
// T1 to T4 of the behaviour that we owe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "headrace/headrace.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";
constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:GPU:0";

SessionOptions OneGpu() {
  return {.devices = {.simulated_gpus = 1, .simulated_gpu_bytes = 64 << 20}};
}
std::unique_ptr<Session> MakeSession(const Graph& g, SessionOptions options) {
  auto session = Session::Create(g, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}
std::string Text(const Status& status) {
  return std::string(Message(status));
}

// What is logged while it lives.
class LogLines {
 public:
  LogLines() {
    SetLogSink([this](LogLevel, std::string_view line) { lines.emplace_back(line); });
  }
  ~LogLines() { SetLogSink({}); }
  std::vector<std::string> lines;
};

TEST(Placement, UnannotatedSparseModel) {  // T1, rows 1 and 2
  Graph g;
  Output ids = Placeholder(g, DType::kInt32, {-1}, {.name = "ids"});
  Output target = Placeholder(g, DType::kFloat32, {-1}, {.name = "target"});
  Tensor start(DType::kFloat32, {1000, 16});
  for (int64_t i = 0; i < 16000; ++i)
    start.data<float>()[i] = static_cast<float>(i % 97) / 97 - 0.5f;
  Variable table(g, start, {.name = "table"});
  Variable steps = GetOrCreateGlobalStep(g);
  Output guess = ReduceSum(EmbeddingLookup({table}, ids), 1);
  Output loss = ReduceMean(Square(guess - target));
  Node* train = AdagradOptimizer(0.1).Minimize(loss, {.global_step = steps});
  Node* init = GlobalVariablesInitializer(g);
  ASSERT_TRUE(g.status().ok()) << g.status();
  std::vector<double> last;
  LogLines log;
  for (const int gpus : {0, 1}) {
    auto session =
        MakeSession(g, {.devices = {.simulated_gpus = gpus, .simulated_gpu_bytes = 64 << 20}});
    ASSERT_TRUE(session->Run({}, {}, {init}).ok());
    for (int step = 0; step < 100; ++step) {
      Tensor batch(DType::kInt32, {32}), wanted(DType::kFloat32, {32});
      for (int i = 0; i < 32; ++i) {
        batch.data<int32_t>()[i] = (step * 37 + i * i * 11) % 1000;
        wanted.data<float>()[i] = static_cast<float>(batch.data<int32_t>()[i] % 7);
      }
      auto out = session->Run({{ids, batch}, {target, wanted}}, {loss}, {train});
      ASSERT_TRUE(out.ok()) << out.status();
      if (step == 99) last.push_back((*out)[0].scalar<float>());
    }
    const PlacementReport report = session->Placement().value();
    EXPECT_TRUE(report.MovedLines().empty());
    // The sparse update has no GPU kernel: the table is with it on the CPU, and drags nothing else
    // along.
    EXPECT_EQ(report.DeviceOf(*table.ref().node), kCpu);
    EXPECT_EQ(report.DeviceOf(*loss.node), gpus == 0 ? kCpu : kGpu);
    EXPECT_EQ(session->Run({}, {steps})->at(0).scalar<int64_t>(), 100);
  }
  EXPECT_NEAR(last[0], last[1], 1e-5);
  EXPECT_TRUE(log.lines.empty()) << log.lines[0];
}

struct TextOnGpu {
  TextOnGpu() {
    DeviceScope gpu(g, "/gpu:0");
    name = NodeBuilder("ShardedFilename", "text/op", Location::Current())
               .Input(base)
               .Input(Const(g, 1, {.name = "shard"}))
               .Input(Const(g, 4, {.name = "shards"}))
               .Build();
  }
  Graph g;
  Output base = Const(g, "part", {.name = "base"}), name;
};

TEST(Placement, HardRequestOfACpuOnlyOp) {  // T2
  TextOnGpu model;
  ASSERT_TRUE(model.g.status().ok()) << model.g.status();
  const Status refused = MakeSession(model.g, OneGpu())->Run({}, {model.name}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  for (const char* part :
       {"text/op", "/device:GPU:0",
        "op 'ShardedFilename' has no kernel for GPU devices, only for CPU", "place_test.cpp:"}) {
    EXPECT_THAT(Text(refused), HasSubstr(part));
  }
  EXPECT_LT(StrSplit(Message(refused), '\n').size(), 30u);

  SessionOptions soft = OneGpu();
  soft.allow_soft_placement = true;
  LogLines log;
  auto session = MakeSession(model.g, soft);
  auto out = session->Run({}, {model.name});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(*(*out)[0].data<std::string>(), "part-00001-of-00004");
  const std::vector<std::string> moved = session->Placement()->MovedLines();
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_THAT(
      moved[0],
      HasSubstr(
          "text/op: moved from /device:GPU:0 to /job:localhost/replica:0/task:0/device:CPU:0"));
  EXPECT_THAT(moved[0], HasSubstr("no kernel for GPU devices"));
  EXPECT_EQ(log.lines, moved);  // each move is one line, once
}

// Row 3: a library in between may hide the session's options.
TEST(Placement, EnvironmentForcesSoftPlacement) {
  TextOnGpu model;
  LogLines log;
  ::setenv("HEADRACE_SOFT_PLACEMENT", "1", 1);
  auto forced = MakeSession(model.g, OneGpu());
  ::setenv("HEADRACE_SOFT_PLACEMENT", "0", 1);
  auto not_forced = MakeSession(model.g, OneGpu());
  ::unsetenv("HEADRACE_SOFT_PLACEMENT");
  EXPECT_TRUE(forced->Run({}, {model.name}).ok());
  EXPECT_EQ(not_forced->Run({}, {model.name}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(log.lines.size(), 1u);
}

TEST(Placement, MissingIndex) {  // T3
  Graph g;
  Output x = Const(g, {1.0f, 2.0f}, {.name = "x"}), y;
  {
    DeviceScope gpu(g, "/gpu:7");
    y = Square(x, {.name = "y"});
  }
  const Status refused = MakeSession(g, OneGpu())->Run({}, {y}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  for (const char* part :
       {"operation y", "/device:GPU:7", "available devices are [", kCpu, kGpu, "place_test.cpp:"}) {
    EXPECT_THAT(Text(refused), HasSubstr(part));
  }
  SessionOptions soft = OneGpu();
  soft.allow_soft_placement = true;
  LogLines log;
  auto session = MakeSession(g, soft);
  EXPECT_EQ(session->Run({}, {y})->at(0).data<float>()[1], 4);
  EXPECT_EQ(session->Placement(*y.node).value(), kGpu);  // a device of the same type replaces it
  ASSERT_EQ(log.lines.size(), 1u);
  EXPECT_THAT(log.lines[0], HasSubstr("there is no /device:GPU:7"));
}

TEST(Placement, IsDataAndOneLineForEachNode) {  // T4, rows 6 to 8
  Graph g;
  std::vector<Output> ops;
  Output sum = Const(g, {1.0f, 2.0f}, {.name = "start"});
  ops.push_back(sum);
  const auto extend = [&](int nodes) {
    for (int i = 0; i < nodes; ++i) {
      DeviceScope on(g, ops.size() % 3 == 0 ? "/cpu:0" : ops.size() % 3 == 1 ? "/gpu:0" : "");
      sum = Square(sum, {.name = StrCat("op", ops.size())});
      ops.push_back(sum);
    }
  };
  extend(9);
  SessionOptions options = OneGpu();
  options.log_device_placement = true;
  options.optimize = false;
  ::testing::internal::CaptureStdout();
  auto session = MakeSession(g, options);
  ASSERT_TRUE(session->Run({}, {sum}).ok());
  for (int i = 0; i < 3; ++i) {
    extend(1);
    ASSERT_TRUE(session->Run({}, {sum}).ok());
  }
  const std::string log = ::testing::internal::GetCapturedStdout();
  for (const Output& op : ops) {
    const std::string line = StrCat(op.node->name(), ": (", op.node->op_name(),
                                    "): ", session->Placement(*op.node).value(), "\n");
    EXPECT_THAT(log, HasSubstr(line));
    const std::string start = StrCat("\n", op.node->name(), ": (");
    EXPECT_EQ(log.find(start), log.rfind(start)) << op.name();
  }
}

}  // namespace
}  // namespace headrace
