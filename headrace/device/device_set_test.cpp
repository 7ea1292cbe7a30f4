#include "headrace/device/device_set.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/device/cuda/driver_listing.h"
#include "headrace/device/internal/visibility.h"

namespace headrace {
namespace {

class Variable {  // an environment variable for one test
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }

 private:
  const char* name_;
};

constexpr int64_t kMiB = 1 << 20;

DeviceOptions Simulated(int count, int64_t bytes = 16 * kMiB) {
  return {.simulated_gpus = count, .simulated_gpu_bytes = bytes};
}

TEST(DeviceSet, OneCpuByDefault) {
  auto set = DeviceSet::Create({});
  ASSERT_TRUE(set.ok()) << set.status();
  ASSERT_EQ((*set)->size(), 1);
  EXPECT_EQ((*set)->cpu().name(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ((*set)->cpu().type(), "CPU");
  EXPECT_EQ((*set)->cpu().stream(), nullptr);
  EXPECT_FALSE((*set)->cpu().separate_memory());
}

TEST(DeviceSet, CpuDevicesShareTheCores) {
  auto set = DeviceSet::Create({.cpu_count = 3, .threads = 5});
  ASSERT_TRUE(set.ok());
  EXPECT_EQ((*set)->device(0).workers().size(), 2);
  EXPECT_EQ((*set)->device(1).workers().size(), 2);
  EXPECT_EQ((*set)->device(2).workers().size(), 1);
  auto again = DeviceSet::Create({.cpu_count = 3, .threads = 5});
  EXPECT_EQ(&(*again)->device(1).workers(), &(*set)->device(1).workers());
  auto few = DeviceSet::Create({.cpu_count = 4, .threads = 2});
  EXPECT_EQ((*few)->device(3).workers().size(), 1);
}

TEST(DeviceSet, ThreadsFromTheEnvironment) {
  {
    Variable threads("HEADRACE_THREADS", "3");
    EXPECT_EQ((*DeviceSet::Create({}))->cpu().workers().size(), 3);
    EXPECT_EQ((*DeviceSet::Create({.threads = 2}))->cpu().workers().size(), 2);
  }
  Variable threads("HEADRACE_THREADS", "many");
  EXPECT_EQ(DeviceSet::Create({}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DeviceSet, FindsByFullOrPartialName) {
  DeviceOptions options = Simulated(2);
  options.job = "worker";
  options.task = 3;
  auto set = *DeviceSet::Create(options);
  EXPECT_EQ(set->Find("/job:worker/replica:0/task:3/device:GPU:1"), &set->device(2));
  EXPECT_EQ(set->Find("/gpu:1"), &set->device(2));
  EXPECT_EQ(set->Find("/device:CPU:0"), &set->cpu());
  EXPECT_EQ(set->Find("/gpu:2"), nullptr);
  EXPECT_EQ(set->Find("/device:GPU:*"), nullptr);  // two
  EXPECT_EQ(set->Find("/job:ps"), nullptr);
  EXPECT_EQ(set->Find("nonsense:1:2"), nullptr);
  std::set<std::string> names;
  for (const DeviceInfo& info : set->infos()) {
    EXPECT_FALSE(info.name.ToString().empty());
    EXPECT_TRUE(names.insert(info.name.ToString()).second);
  }
}

TEST(DeviceSet, SimulatedGpusSayWhatTheyAre) {
  Variable count("HEADRACE_SIMULATED_GPUS", "2");
  Variable bytes("HEADRACE_SIMULATED_GPU_BYTES", "268435456");
  auto set = *DeviceSet::Create({});
  ASSERT_EQ(set->size(), 3);
  EXPECT_EQ(set->device(1).info().description, "simulated GPU, 256.0 MiB");
  EXPECT_TRUE(set->device(1).info().simulated);
  EXPECT_EQ(set->device(1).info().memory_bytes, 256 * kMiB);
  EXPECT_EQ((*DeviceSet::Create({.simulated_gpus = 0}))->size(), 1);
}

TEST(DeviceSet, MemoryOptionsLimitTheAllocator) {
  auto limit = [](GpuOptions gpu) {
    DeviceOptions options = Simulated(1, 100 * kMiB);
    options.gpu = gpu;
    auto set = DeviceSet::Create(options);
    return set.ok() ? (*set)->device(1).allocator().stats() : AllocatorStats{};
  };
  EXPECT_EQ(limit({}).limit_bytes, 100 * kMiB);
  EXPECT_EQ(limit({}).reserved_bytes, 100 * kMiB);
  EXPECT_EQ(limit({.per_process_gpu_memory_fraction = 0.25}).limit_bytes, 25 * kMiB);
  EXPECT_EQ(limit({.memory_limit_bytes = 10 * kMiB}).limit_bytes, 10 * kMiB);
  EXPECT_EQ(
      limit({.per_process_gpu_memory_fraction = 0.25, .memory_limit_bytes = 50 * kMiB}).limit_bytes,
      25 * kMiB);
  EXPECT_EQ(limit({.allow_growth = true}).reserved_bytes, 0);
}

TEST(DeviceSet, RefusesBadOptions) {
  const auto code = [](DeviceOptions options) {
    return DeviceSet::Create(options).status().code();
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  EXPECT_EQ(code({.cpu_count = 0}), kInvalid);
  EXPECT_EQ(code({.threads = -1}), kInvalid);
  EXPECT_EQ(code({.gpu_count = -2}), kInvalid);
  EXPECT_EQ(code({.gpu = {.per_process_gpu_memory_fraction = 1.5}}), kInvalid);
  EXPECT_EQ(code({.gpu = {.per_process_gpu_memory_fraction = -0.1}}), kInvalid);
  EXPECT_EQ(code({.gpu = {.memory_limit_bytes = -1}}), kInvalid);
  EXPECT_EQ(code({.simulated_gpus = -3}), kInvalid);
  EXPECT_EQ(code({.simulated_gpus = 1, .simulated_gpu_bytes = 1}), kInvalid);
  Variable count("HEADRACE_SIMULATED_GPUS", "four");
  EXPECT_EQ(code({}), kInvalid);
}

TEST(DeviceSet, ConflictingOptionsFailInStrict) {
  DeviceOptions first = Simulated(1), second = Simulated(1);
  first.gpu.per_process_gpu_memory_fraction = 0.3;
  first.user = "session at train.cpp:12";
  second.gpu.per_process_gpu_memory_fraction = 0.6;
  auto open = DeviceSet::Create(first);
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_TRUE(DeviceSet::Create(first).ok());  // equal options share the hardware
  auto conflict = DeviceSet::Create(second);
  ASSERT_EQ(conflict.status().code(), absl::StatusCode::kFailedPrecondition);
  const std::string text(Message(conflict.status()));
  EXPECT_NE(text.find("per_process_gpu_memory_fraction=0.3"), std::string::npos) << text;
  EXPECT_NE(text.find("per_process_gpu_memory_fraction=0.6"), std::string::npos) << text;
  EXPECT_NE(text.find("session at train.cpp:12"), std::string::npos) << text;
  open->reset();
  EXPECT_TRUE(DeviceSet::Create(second).ok());  // nobody uses it any more
}

TEST(DeviceSet, ConflictingOptionsWarnOnceInCompat) {
  DeviceOptions first = Simulated(1), second = Simulated(1);
  first.gpu.per_process_gpu_memory_fraction = 0.3;
  first.user = "the first session";
  second.gpu.per_process_gpu_memory_fraction = 0.6;
  second.profile = Profile::kCompat;
  auto open = DeviceSet::Create(first);
  std::vector<std::string> warnings;
  SetLogSink([&](LogLevel, std::string_view text) { warnings.emplace_back(text); });
  auto a = DeviceSet::Create(second), b = DeviceSet::Create(second);
  SetLogSink({});
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(warnings.size(), 1u);
  for (const char* part : {"fraction=0.3", "fraction=0.6", "the first session"}) {
    EXPECT_NE(warnings[0].find(part), std::string::npos) << warnings[0];
  }
  EXPECT_EQ(&(*a)->device(1).allocator(), &(*open)->device(1).allocator());
  EXPECT_EQ((*a)->device(1).info().memory_bytes, (*open)->device(1).info().memory_bytes);
}

TEST(DeviceSet, TwoSessionsOnTwoGpus) {  // T9
  DeviceOptions zero = Simulated(2), one = Simulated(2);
  zero.gpu.visible_device_list = "0";
  one.gpu.visible_device_list = "1";
  one.gpu.allow_growth = true;  // no conflict: another card
  auto a = DeviceSet::Create(zero), b = DeviceSet::Create(one);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ((*a)->size(), 2);
  EXPECT_EQ((*a)->device(1).name(), (*b)->device(1).name());
  EXPECT_EQ((*a)->device(1).info().physical_index, 0);
  EXPECT_EQ((*b)->device(1).info().physical_index, 1);
  EXPECT_NE(&(*a)->device(1).allocator(), &(*b)->device(1).allocator());
}

std::vector<int> Visible(int count, const DeviceOptions& options) {
  auto visible = internal::VisibleGpus(count, options);
  return visible.ok() ? visible->physical : std::vector<int>{-99};
}

TEST(Visibility, ListRenumbers) {
  EXPECT_EQ(Visible(4, {}), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(Visible(4, {.gpu = {.visible_device_list = "3, 1"}}), (std::vector<int>{3, 1}));
  EXPECT_EQ(Visible(4, {.gpu_count = 1, .gpu = {.visible_device_list = "3,1"}}),
            (std::vector<int>{3}));
  EXPECT_EQ(Visible(4, {.gpu_count = 0}), std::vector<int>{});
  for (const char* bad : {"4", "-1", "x", "1,1", "1,"}) {
    EXPECT_EQ(internal::VisibleGpus(4, {.gpu = {.visible_device_list = bad}}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << bad;
  }
}

TEST(Visibility, VariableComesFirst) {
  Variable cuda("CUDA_VISIBLE_DEVICES", "2,3");
  EXPECT_EQ(Visible(4, {}), (std::vector<int>{2, 3}));
  EXPECT_EQ(Visible(4, {.gpu = {.visible_device_list = "1"}}), (std::vector<int>{3}));
  EXPECT_EQ(internal::VisibleGpus(4, {.gpu = {.visible_device_list = "2"}}).status().code(),
            absl::StatusCode::kInvalidArgument);
  Variable own("HEADRACE_VISIBLE_GPUS", "1");
  EXPECT_EQ(Visible(4, {}), (std::vector<int>{1}));
}

TEST(Visibility, VariableHasCudasSyntax) {
  EXPECT_EQ(internal::ParseVisibleVariable("1,0", 2), (std::vector<int>{1, 0}));
  EXPECT_EQ(internal::ParseVisibleVariable("", 2), std::vector<int>{});
  EXPECT_EQ(internal::ParseVisibleVariable("-1", 2), std::vector<int>{});
  EXPECT_EQ(internal::ParseVisibleVariable("0,-1,1", 2), std::vector<int>{0});
  EXPECT_EQ(internal::ParseVisibleVariable("1,7,0", 2), std::vector<int>{1});
  EXPECT_EQ(internal::ParseVisibleVariable("GPU-8f9c,0", 2), std::vector<int>{});
  EXPECT_EQ(internal::ParseVisibleVariable("0,0", 2), std::vector<int>{});
}

TEST(Visibility, ParameterServersUseNoGpuUnlessAsked) {
  EXPECT_EQ(Visible(2, {.job = "ps"}), std::vector<int>{});
  EXPECT_EQ(Visible(2, {.gpu_count = 1, .job = "ps"}), std::vector<int>{0});
}

TEST(DeviceSet, RequireGpuIsFatalWithAReason) {
  Variable required("HEADRACE_REQUIRE_GPU", "1");
  EXPECT_TRUE(DeviceSet::Create(Simulated(1)).ok());
  EXPECT_EQ(DeviceSet::Create({.simulated_gpus = 0}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(DeviceSet::Create({.gpu_count = 0, .simulated_gpus = 0}).ok());  // says so itself
  EXPECT_TRUE(DeviceSet::Create({.simulated_gpus = 0, .job = "ps"}).ok());
  Variable hidden("CUDA_VISIBLE_DEVICES", "-1");
  auto set = DeviceSet::Create(Simulated(1));
  ASSERT_EQ(set.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(Message(set.status()).find("hidden by CUDA_VISIBLE_DEVICES=-1"), std::string_view::npos)
      << set.status();
}

TEST(ListDevices, OpensNothingAndGivesReasons) {
  DeviceOptions options = Simulated(3);
  options.gpu.visible_device_list = "2,0";
  auto list = ListDevices(options);
  ASSERT_TRUE(list.ok()) << list.status();
  std::vector<DeviceListing> gpus;
  for (const DeviceListing& entry : *list) {
    if (entry.info.simulated) gpus.push_back(entry);
  }
  ASSERT_EQ(gpus.size(), 3u);
  EXPECT_EQ(gpus[0].info.physical_index, 2);
  EXPECT_EQ(gpus[1].info.physical_index, 0);
  EXPECT_TRUE(gpus[1].used);
  EXPECT_FALSE(gpus[2].used);
  EXPECT_EQ(gpus[2].info.physical_index, 1);
  EXPECT_EQ(gpus[2].reason, "not in visible_device_list \"2,0\"");
  // Had it opened one, other options would now conflict with it.
  options.gpu.per_process_gpu_memory_fraction = 0.5;
  EXPECT_TRUE(DeviceSet::Create(options).ok());
}

TEST(ListDriverGpus, ReadsWhatTheDriverShows) {
  const std::filesystem::path root = std::filesystem::path(testing::TempDir()) / "driver_gpus";
  std::filesystem::create_directories(root / "0000:01:00.0");
  std::ofstream(root / "0000:01:00.0" / "information")
      << "Model: \t\t NVIDIA Something\nIRQ:   \t\t 5\n";
  const std::vector<DriverGpu> gpus = ListDriverGpus(root.string());
  ASSERT_EQ(gpus.size(), 1u);
  EXPECT_EQ(gpus[0].model, "NVIDIA Something");
  EXPECT_EQ(gpus[0].bus_id, "0000:01:00.0");
  EXPECT_TRUE(ListDriverGpus((root / "missing").string()).empty());
  std::filesystem::remove_all(root);
}

TEST(DeviceSet, ImaginesDevices) {
  auto infos = DeviceSet::Imagine("gpu:2, cpu:1");
  ASSERT_TRUE(infos.ok()) << infos.status();
  ASSERT_EQ(infos->size(), 3u);
  EXPECT_EQ((*infos)[0].name.ToString(), "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ((*infos)[2].name.ToString(), "/job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_EQ(DeviceSet::Imagine("cpu")->size(), 1u);
  for (const char* bad :
       {"", "gpu:2", "cpu:1,tpu:3", "cpu:x", "cpu:-1", "cpu:1,cpu:2", "cpu:1:2", "cpu:9999999"}) {
    EXPECT_EQ(DeviceSet::Imagine(bad).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace headrace
