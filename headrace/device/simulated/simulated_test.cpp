#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "headrace/base/strings.h"
#include "headrace/base/testing/thread_sanitizer.h"
#include "headrace/device/device_set.h"
#include "headrace/device/simulated/simulated_gpu.h"

namespace headrace {
namespace {

using std::chrono::milliseconds;

std::shared_ptr<DeviceSet> Gpus(int count) {
  auto set = DeviceSet::Create({.simulated_gpus = count, .simulated_gpu_bytes = 16 << 20});
  return set.ok() ? *set : nullptr;
}

TEST(SimulatedStream, WorksInOrder) {
  SimulatedStream stream;
  std::vector<int> seen;  // touched by the stream's thread only, until Synchronize
  for (int i = 0; i < 1000; ++i) stream.Enqueue([&seen, i] { seen.push_back(i); });
  ASSERT_TRUE(stream.Synchronize().ok());
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(seen[i], i);
}

TEST(SimulatedStream, RunInOrderWaitsForWorkBefore) {
  SimulatedStream stream;
  int value = 0;
  stream.Enqueue([&] {
    std::this_thread::sleep_for(milliseconds(20));
    value = 1;
  });
  int seen = -1;
  stream.RunInOrder([&] { seen = value; });
  EXPECT_EQ(seen, 1);
  // Idle: on the caller's own thread.
  std::thread::id where;
  stream.RunInOrder([&] { where = std::this_thread::get_id(); });
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(SimulatedStream, MayBeUsedFromItsOwnWork) {
  SimulatedStream stream;
  std::atomic<int> ran{0};
  stream.Enqueue([&] {
    stream.RunInOrder([&] { ++ran; });
    EXPECT_TRUE(stream.Synchronize().ok());
    stream.Enqueue([&] { ++ran; });
  });
  ASSERT_TRUE(stream.Synchronize().ok());
  ASSERT_TRUE(stream.Synchronize().ok());
  EXPECT_EQ(ran, 2);
}

TEST(SimulatedStream, FinishesItsWorkBeforeItGoes) {
  std::atomic<int> ran{0};
  {
    SimulatedStream stream;
    for (int i = 0; i < 10; ++i) {
      stream.Enqueue([&] {
        std::this_thread::sleep_for(milliseconds(1));
        ++ran;
      });
    }
  }
  EXPECT_EQ(ran, 10);
}

TEST(SimulatedStream, AFailedDeviceKeepsReportingUntilReset) {
  auto set = Gpus(1);
  auto& gpu = dynamic_cast<SimulatedDevice&>(set->device(1));
  Tensor host = Tensor::Of<float>({1, 2}),
         device = *Tensor::Allocate(gpu.allocator(), DType::kFloat32, {2}, "x");
  ASSERT_TRUE(gpu.CopyIn(host, device).ok());
  gpu.stream()->Enqueue([&] { gpu.stream()->Fail(Internal("kernel launch failed")); });
  EXPECT_EQ(Message(gpu.stream()->Synchronize()), "kernel launch failed");
  EXPECT_FALSE(gpu.stream()->Synchronize().ok());
  EXPECT_FALSE(gpu.CopyOut(device, host).ok());
  EXPECT_FALSE(gpu.CopyIn(host, device).ok());
  gpu.stream()->Reset();
  EXPECT_TRUE(gpu.stream()->Synchronize().ok());
  EXPECT_TRUE(gpu.CopyOut(device, host).ok());
}

TEST(SimulatedDevice, CopiesAreOrderedAndCounted) {
  auto set = Gpus(1);
  Device& gpu = *set->Find("/gpu:0");
  EXPECT_TRUE(gpu.separate_memory());
  EXPECT_TRUE(gpu.info().simulated);
  Tensor host = Tensor::Of<float>({1, 2, 3, 4}), back(DType::kFloat32, {4});
  Tensor device = *Tensor::Allocate(gpu.allocator(), DType::kFloat32, {4}, "x");
  ASSERT_TRUE(gpu.CopyIn(host, device).ok());
  gpu.stream()->Enqueue([&] {
    std::this_thread::sleep_for(milliseconds(10));
    for (float& x : device.flat<float>()) x *= 2;
  });
  ASSERT_TRUE(gpu.CopyOut(device, back).ok());  // comes after the work
  EXPECT_EQ(back.flat<float>()[3], 8);
  EXPECT_EQ(gpu.copy_stats().copies_in, 1);
  EXPECT_EQ(gpu.copy_stats().bytes_in, 16);
  EXPECT_EQ(gpu.copy_stats().copies_out, 1);
  EXPECT_EQ(gpu.copy_stats().bytes_out, 16);
}

TEST(SimulatedDevice, OutOfMemoryIsAnError) {
  auto set = Gpus(1);
  Device& gpu = *set->Find("/gpu:0");
  Tensor big = *Tensor::Allocate(gpu.allocator(), DType::kFloat32, {3 << 20}, "dense/Relu (Relu)");
  auto more =
      Tensor::Allocate(gpu.allocator(), DType::kFloat32, {2 << 20}, "dense/MatMul (MatMul)");
  ASSERT_EQ(more.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(Message(more.status()).find("dense/MatMul (MatMul)"), std::string_view::npos)
      << more.status();
  EXPECT_NE(Message(more.status()).find("dense/Relu (Relu)"), std::string_view::npos);
  EXPECT_NE(Message(more.status()).find("(simulated)"), std::string_view::npos);
  big = Tensor();
  EXPECT_TRUE(Tensor::Allocate(gpu.allocator(), DType::kFloat32, {2 << 20}, "again").ok());
}

// Runs `body` in a child; true if it returned true within five seconds.
template <class Body>
bool SucceedsInChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Fork, ChildWorksOnWithTheParentsDevices) {
  if (testing::kThreadSanitizer) GTEST_SKIP() << "not under ThreadSanitizer";
  auto set =
      DeviceSet::Create({.threads = 2, .simulated_gpus = 1, .simulated_gpu_bytes = 16 << 20});
  ASSERT_TRUE(set.ok()) << set.status();
  Device& gpu = (*set)->device(1);
  // The parent is busy with everything that has a lock or a thread while it forks.
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      for (int i = 0; i < 2; ++i) {
        Tensor t =
            *Tensor::Allocate((*set)->device(i).allocator(), DType::kFloat32, {40000}, "busy");
        gpu.stream()->Enqueue([] {});
        (*set)->cpu().workers().ParallelChunks(100, 1, [](int64_t, int64_t) {});
      }
      (void)gpu.stream()->Synchronize();
    }
  });
  auto work = [&] {
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
      auto t = Tensor::Allocate((*set)->device(i).allocator(), DType::kFloat32, {40000}, "child");
      if (!t.ok()) return false;
    }
    gpu.stream()->Enqueue([&] { ++sum; });
    if (!gpu.stream()->Synchronize().ok()) return false;
    gpu.workers().ParallelChunks(
        10, 1, [&](int64_t begin, int64_t end) { sum += static_cast<int>(end - begin); });
    auto fresh =
        DeviceSet::Create({.threads = 2, .simulated_gpus = 1, .simulated_gpu_bytes = 16 << 20});
    if (!fresh.ok() || sum != 11) return false;
    set->reset();  // the parent's threads are not here to be joined
    return true;
  };
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(SucceedsInChild(work)) << "fork " << i;
  stop = true;
  busy.join();
  int after = 0;
  gpu.stream()->Enqueue([&] { after = 1; });
  EXPECT_TRUE(gpu.stream()->Synchronize().ok());
  EXPECT_EQ(after, 1);
}

}  // namespace
}  // namespace headrace
