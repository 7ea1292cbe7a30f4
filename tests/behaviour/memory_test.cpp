// Memory of devices: options that conflict, cards that are shared, what Close gives back, and what
// is said when there is not enough. T8, T9, T10, T13 of the behaviour that we owe.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "headrace/headrace.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMiB = 1 << 20;

DeviceOptions Gpus(int count, int64_t bytes) {
  return {.simulated_gpus = count, .simulated_gpu_bytes = bytes};
}
std::unique_ptr<Session> MakeSession(const Graph& g, DeviceOptions devices) {
  auto session = Session::Create(g, {.devices = std::move(devices)});
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}

TEST(DeviceMemory, ConflictingOptionsOfTwoSessions) {  // T8, rows 13 and 14
  Graph g;
  Output x = Square(Const(g, {1.0f, 2.0f}));
  DeviceOptions first = Gpus(1, 64 * kMiB), second = Gpus(1, 64 * kMiB);
  first.gpu.per_process_gpu_memory_fraction = 0.3;
  first.user = "session at train.cpp:12";
  second.gpu.per_process_gpu_memory_fraction = 0.6;
  auto session = MakeSession(g, first);
  const Status strict = Session::Create(g, {.devices = second}).status();
  EXPECT_EQ(strict.code(), absl::StatusCode::kFailedPrecondition);
  for (const char* part : {"fraction=0.3", "fraction=0.6", "session at train.cpp:12"}) {
    EXPECT_THAT(std::string(Message(strict)), HasSubstr(part));
  }
  second.profile = Profile::kCompat;
  std::vector<std::string> warnings;
  SetLogSink([&](LogLevel, std::string_view text) { warnings.emplace_back(text); });
  auto compat = MakeSession(g, second);
  EXPECT_TRUE(compat->Run({}, {x}).ok());
  SetLogSink({});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("fraction=0.3"));
  EXPECT_THAT(warnings[0], HasSubstr("fraction=0.6"));
  EXPECT_EQ(compat->devices().device(1).info().memory_bytes, static_cast<int64_t>(0.3 * 64 * kMiB));
  EXPECT_TRUE(session->Run({}, {x}).ok());
}

TEST(DeviceMemory, TwoSessionsEachOnItsOwnCard) {  // T9, row 15
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"}), y;
  {
    DeviceScope gpu(g, "/gpu:0");
    y = ReduceSum(Square(x));
  }
  std::vector<std::unique_ptr<Session>> sessions;
  for (const char* card : {"0", "1"}) {
    DeviceOptions options = Gpus(2, 16 * kMiB);
    options.gpu.visible_device_list = card;
    sessions.push_back(MakeSession(g, options));
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int s = 0; s < 2; ++s) {
    threads.emplace_back([&, s] {
      for (int i = 0; i < 50; ++i) {
        const float v = static_cast<float>(100 * s + i);
        auto out = sessions[s]->Run({{x, Tensor::Of<float>({v, 1})}}, {y});
        wrong += !out.ok() || (*out)[0].scalar<float>() != v * v + 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  for (int s = 0; s < 2; ++s) {
    Device& gpu = sessions[s]->devices().device(1);
    EXPECT_THAT(gpu.name(), HasSubstr("GPU:0"));
    EXPECT_EQ(gpu.info().physical_index, s);
    EXPECT_GE(gpu.copy_stats().copies_in, 50);
  }
  EXPECT_NE(&sessions[0]->devices().device(1).allocator(),
            &sessions[1]->devices().device(1).allocator());
}

TEST(DeviceMemory, ComesBackWithClose) {  // T10, row 17
  constexpr int64_t kFloats = 4 << 20;    // 16 MiB a variable
  for (const int gpus : {0, 1}) {
    SCOPED_TRACE(gpus == 0 ? "CPU" : "simulated GPU");
    DeviceOptions options = Gpus(gpus, 256 * kMiB);
    options.gpu.allow_growth = true;
    auto devices = DeviceSet::Create(options).value();  // who holds the devices sees what stays
    Allocator& memory = devices->device(gpus).allocator();
    const AllocatorStats before = memory.stats();
    {
      Graph g;
      std::vector<Variable> variables;
      Output total = Const(g, 0.0f);
      for (int i = 0; i < 4; ++i) {
        variables.emplace_back(g, [](Graph& h) { return Fill({kFloats}, Const(h, 1.0f)); });
        total = total + ReduceSum(variables.back().value() * 2.0f);
      }
      Node* init = GlobalVariablesInitializer(g);
      auto session = Session::Create(g, {.device_set = devices});
      ASSERT_TRUE(session.ok()) << session.status();
      ASSERT_TRUE((*session)->Run({}, {}, {init}).ok());
      EXPECT_EQ((*session)->Run({}, {total})->at(0).scalar<float>(), 8.0f * kFloats);
      EXPECT_GE(memory.stats().bytes_in_use - before.bytes_in_use, 4 * kFloats * 4);
      const Callable kept =
          (*session)->MakeCallable({}, {total}).value();  // must keep nothing alive
      EXPECT_TRUE((*session)->Close().ok());
      EXPECT_EQ(memory.stats().bytes_in_use, before.bytes_in_use);
    }
    memory.Trim();
    EXPECT_LE(memory.stats().reserved_bytes, before.reserved_bytes + kMiB);
    EXPECT_EQ(memory.stats().bytes_in_use, before.bytes_in_use);
  }
}

TEST(DeviceMemory, SaysWhoHoldsItWhenThereIsNotEnough) {  // T13, row 22
  Graph g;
  Output rows = Placeholder(g, DType::kInt32, {1}, {.name = "rows"});
  Output loss;
  {
    DeviceScope gpu(g, "/gpu:0");
    Output small = Fill(rows, Const(g, 1.0f), {.name = "layer1/small"});
    Output wide = Tile(ExpandDims(small, 1), Const(g, {1, 100}),
                       {.name = "layer2/activation"});  // 80 % of the card
    Output again = Exp(wide, {.name = "layer3/activation"});
    loss = ReduceSum(again * wide) + ReduceSum(small);
  }
  auto session = MakeSession(g, Gpus(1, 16 * kMiB));
  const int32_t too_many = 16 * kMiB * 8 / 10 / 400;
  const Status status = session->Run({{rows, Tensor::Of<int32_t>({too_many})}}, {loss}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  const std::vector<std::string_view> lines = StrSplit(Message(status), '\n');
  EXPECT_LE(lines.size(), 25u);
  const auto first = std::ranges::find_if(
      lines, [](std::string_view line) { return line.find("activation") != line.npos; });
  ASSERT_NE(first, lines.end()) << status;
  EXPECT_THAT(std::string(Message(status)), HasSubstr("layer2/activation"));
  EXPECT_THAT(std::string(Message(status)), HasSubstr("layer3/activation"));
  auto fits =
      session->Run({{rows, Tensor::Of<int32_t>({10})}}, {loss});  // the session stays usable
  EXPECT_TRUE(fits.ok()) << fits.status();
}

}  // namespace
}  // namespace headrace
