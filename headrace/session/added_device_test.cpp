// A kind of device made as docs/add_a_device.md says, and sessions that run on it. What the page
// promises is tested here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "headrace/base/strings.h"
#include "headrace/device/fork.h"
#include "headrace/device/pool_allocator.h"
#include "headrace/graph/gradients.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/ops.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

// ---- 1. raw memory: pages seen at two addresses, of which the engine knows the first. A sealed
// device gives no access there, as a GPU's driver would not: host code that follows such an address
// dies.
class TwinRange final : public MemoryRange {
 public:
  static std::unique_ptr<TwinRange> Make(size_t bytes, bool sealed) {
    const int file = memfd_create("twin_range", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return nullptr;
    void* outer =
        mmap(nullptr, bytes, sealed ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    void* inner = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (outer == MAP_FAILED || inner == MAP_FAILED) return nullptr;
    return std::unique_ptr<TwinRange>(
        new TwinRange(static_cast<char*>(outer), static_cast<char*>(inner), bytes));
  }
  ~TwinRange() override {
    munmap(outer_, bytes_);
    munmap(inner_, bytes_);
  }
  char* base() const override { return outer_; }
  size_t capacity_bytes() const override { return bytes_; }
  size_t granularity_bytes() const override { return 4096; }
  bool Resize(size_t bytes) override { return bytes <= bytes_; }
  ptrdiff_t inner_distance() const { return inner_ - outer_; }

 private:
  TwinRange(char* outer, char* inner, size_t bytes) : outer_(outer), inner_(inner), bytes_(bytes) {}
  char *const outer_, *const inner_;
  const size_t bytes_;
};

// ---- 2. a stream: one thread that works in order, and belongs to the process that made it.
class QueueStream final : public Stream {
 public:
  QueueStream() {
    std::lock_guard lock(state_->mutex);
    state_->thread = std::thread([state = state_] { state->Loop(); });
  }
  ~QueueStream() override {
    if (!Here()) return;  // the parent's thread is not here to be joined
    Enqueue(nullptr);
    if (OnStream()) {  // the last owner was work of this stream: the loop ends by itself
      state_->thread.detach();
      return;
    }
    state_->thread.join();
    delete state_;
  }
  void Enqueue(std::function<void()> work) override {
    if (!Here()) return;  // Synchronize says so
    std::lock_guard lock(state_->mutex);
    state_->queue.push_back(std::move(work));
    ++state_->pending;
    state_->changed.notify_all();
  }
  Status Synchronize() override {
    if (!Here()) return FailedPrecondition("this device was opened before a fork; open it here");
    std::unique_lock lock(state_->mutex);
    if (!OnStream()) state_->changed.wait(lock, [this] { return state_->pending == 0; });
    return absl::OkStatus();
  }
  // Runs `work` after all that was enqueued before, and waits for it.
  Status RunInOrder(const std::function<void()>& work) {
    if (Here() && OnStream()) {
      work();
    } else {
      Enqueue(work);
    }
    return Synchronize();
  }

 private:
  struct State {
    const int64_t born = ForkGeneration();
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> queue;
    int64_t pending = 0;
    std::thread thread;

    void Loop() {
      std::unique_lock lock(mutex);
      for (;;) {
        changed.wait(lock, [this] { return !queue.empty(); });
        std::function<void()> work = std::move(queue.front());
        queue.pop_front();
        if (work == nullptr) return;
        lock.unlock();
        work();
        work = nullptr;  // what it holds goes before it counts as done
        lock.lock();
        --pending;
        changed.notify_all();
      }
    }
  };
  bool Here() const { return state_->born == ForkGeneration(); }
  bool OnStream() const { return std::this_thread::get_id() == state_->thread.get_id(); }

  State* const state_ = new State;
};

// ---- 3. the device.
class AddedDevice final : public Device {
 public:
  static StatusOr<std::unique_ptr<AddedDevice>> Open(int index, size_t bytes, bool sealed) {
    DeviceInfo info{
        .name = DeviceName::Local("GPU", index),
        .type = "GPU",
        .memory_bytes = static_cast<int64_t>(bytes),
        .physical_index = index,
        .description = StrCat("added device, ", HumanBytes(static_cast<int64_t>(bytes)))};
    std::unique_ptr<TwinRange> range = TwinRange::Make(bytes, sealed);
    const ptrdiff_t distance = range == nullptr || !sealed ? 0 : range->inner_distance();
    HR_ASSIGN_OR_RETURN(auto memory,
                        PoolAllocator::Create(std::move(range), {.name = info.name.ToString()}));
    return std::unique_ptr<AddedDevice>(
        new AddedDevice(std::move(info), std::move(memory), distance));
  }

  Allocator& allocator() override { return *memory_; }
  WorkerPool& workers() override { return workers_; }
  QueueStream* stream() override { return &stream_; }
  bool host_accessible() const override { return distance_ == 0; }
  bool separate_memory() const override { return true; }
  Status CopyIn(const Tensor& host, Tensor& device) override {
    return stream_.RunInOrder([&] {
      std::memcpy(Inner(device.raw_data()), host.raw_data(), host.size_bytes());
      ++copies_in_;
    });
  }
  Status CopyOut(const Tensor& device, Tensor& host) override {
    return stream_.RunInOrder([&] {
      std::memcpy(host.raw_data(), Inner(device.raw_data()), device.size_bytes());
      ++copies_out_;
    });
  }
  CopyStats copy_stats() const override {
    return {.copies_in = copies_in_, .copies_out = copies_out_};
  }

  // Where the device's own code finds what the engine calls `address`.
  template <class T>
  T* Inner(T* address) const {
    return reinterpret_cast<T*>(reinterpret_cast<uintptr_t>(address) +
                                static_cast<uintptr_t>(distance_));
  }

 private:
  AddedDevice(DeviceInfo info, std::shared_ptr<PoolAllocator> memory, ptrdiff_t distance)
      : Device(std::move(info)), memory_(std::move(memory)), distance_(distance) {}

  const std::shared_ptr<PoolAllocator> memory_;  // lives until its last tensor is gone
  const ptrdiff_t distance_;
  WorkerPool workers_{1};
  std::atomic<int64_t> copies_in_{0}, copies_out_{0};
  QueueStream stream_;  // last: its work uses the others
};

StatusOr<std::shared_ptr<DeviceSet>> SetWith(int devices, size_t bytes, bool sealed) {
  std::vector<std::unique_ptr<Device>> added;
  for (int i = 0; i < devices; ++i) {
    HR_ASSIGN_OR_RETURN(auto device, AddedDevice::Open(i, bytes, sealed));
    added.push_back(std::move(device));
  }
  return DeviceSet::Create({.threads = 2, .simulated_gpus = 0}, std::move(added));
}

std::vector<float> Floats(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.num_elements()};
}

// ---- 4. kernels of the device's own, for the support table. Without them a device whose memory
// the host can read computes with the CPU's.
template <bool kOnDevice>
Status ComputeScaledSum(KernelContext& ctx) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, a.shape()));
  const float *pa = a.data<float>(), *pb = b.data<float>();
  float* out = y->data<float>();
  if constexpr (kOnDevice) {
    const auto& device = static_cast<const AddedDevice&>(ctx.device());
    pa = device.Inner(pa), pb = device.Inner(pb), out = device.Inner(out);
  }
  for (int64_t i = 0; i < a.num_elements(); ++i) out[i] = 2 * pa[i] + pb[i];
  return absl::OkStatus();
}

void DefineScaledSum() {
  if (OpRegistry::Global().Find("AddedScaledSum") != nullptr) return;
  OpRegistry::Global()
      .Define("AddedScaledSum")
      .Doc("2 a + b.")
      .Input("a", "float32")
      .Input("b", "float32")
      .Output("y", "float32")
      .Shape(SameShapeAsInput)
      .InPlace(0, 0)
      .Cpu({.make = MakeFunctionKernel<ComputeScaledSum<false>>})
      .Gpu({.make = MakeFunctionKernel<ComputeScaledSum<true>>});
}
Output ScaledSum(Output a, Output b, std::string_view name) {
  DefineScaledSum();
  return NodeBuilder("AddedScaledSum", name, Location::Current()).Input(a).Input(b).Build();
}

class AddedDevices : public ::testing::TestWithParam<bool> {};  // plans; the general executor
INSTANTIATE_TEST_SUITE_P(Runtime, AddedDevices, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Plan" : "Executor"; });

TEST_P(AddedDevices, TrainWithTheKernelsOfTheCpu) {
  auto devices = SetWith(2, 1 << 20, /*sealed=*/false);
  ASSERT_TRUE(devices.ok()) << devices.status();
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {2, 2}, {.name = "x"});
  std::optional<Variable> w;
  Output y, step;
  {
    DeviceScope on_gpu(g, "/gpu:1");
    w.emplace(g, Tensor::Of<float>({1, 2}), VariableOptions{.name = "w"});
    y = ReduceSum(x * *w, {}, {.name = "y"});
    step = AssignSub(w->ref(), Gradients(y, {*w})[0].Dense());
  }
  auto session = Session::Create(g, {.use_plans = GetParam(), .device_set = *devices});
  ASSERT_TRUE(session.ok()) << session.status();
  ASSERT_TRUE((*session)->Run({}, {}, {w->initializer()}).ok());
  const auto feed = Tensor::Of<float>({1, 2, 3, 4}, {2, 2});
  auto out = (*session)->Run({{x, feed}}, {y});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{1 + 4 + 3 + 8}));
  auto stepped = (*session)->Run({{x, feed}}, {step});
  ASSERT_TRUE(stepped.ok()) << stepped.status();
  EXPECT_EQ(Floats((*stepped)[0]), (std::vector<float>{1 - 4, 2 - 6}));

  EXPECT_EQ(*(*session)->Placement(*y.node), "/job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_GT((*devices)->Find("/gpu:1")->allocator().stats().bytes_in_use, 0);  // the variable
  EXPECT_EQ((*devices)->Find("/gpu:0")->allocator().stats().allocations, 0);
  EXPECT_GT((*devices)->Find("/gpu:1")->copy_stats().copies_in, 0);
}

TEST_P(AddedDevices, ComputeWithKernelsOfTheirOwnInMemoryThatTheHostCannotRead) {
  auto devices = SetWith(2, 1 << 20, /*sealed=*/true);
  ASSERT_TRUE(devices.ok()) << devices.status();
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"});
  Output a, b, c;
  {
    DeviceScope on_gpu(g, "/gpu:0");
    a = ScaledSum(x, Const(g, {1.0f, 1.0f, 1.0f}), "a");  // the constant is copied in, once
    b = ScaledSum(a, a, "b");
  }
  {
    DeviceScope on_gpu(g, "/gpu:1");
    c = ScaledSum(b, x, "c");  // from one device to the other
  }
  DeviceScope on_cpu(g, "/cpu:0");
  Output d = ScaledSum(c, x, "d");
  auto session = Session::Create(g, {.use_plans = GetParam(), .device_set = *devices});
  ASSERT_TRUE(session.ok()) << session.status();
  for (int i = 0; i < 3; ++i) {
    const float v = static_cast<float>(i);
    auto out = (*session)->Run({{x, Tensor::Of<float>({v, 1, 2})}}, {d, b});
    ASSERT_TRUE(out.ok()) << out.status();
    const auto b_of = [](float at) { return 3 * (2 * at + 1); };
    const auto d_of = [&](float at) { return 2 * (2 * b_of(at) + at) + at; };
    EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{d_of(v), d_of(1), d_of(2)}));
    EXPECT_EQ(Floats((*out)[1]), (std::vector<float>{b_of(v), b_of(1), b_of(2)}));
  }
  EXPECT_GT((*devices)->Find("/gpu:0")->copy_stats().copies_out, 0);
}

TEST_P(AddedDevices, OpsWithoutAKernelForThemAreRefusedByName) {
  auto devices = SetWith(1, 1 << 20, /*sealed=*/true);
  ASSERT_TRUE(devices.ok()) << devices.status();
  Graph g;
  DeviceScope on_gpu(g, "/gpu:0");
  Output x = Placeholder(g, DType::kFloat32, {2});
  Output y = Exp(x, {.name = "y"});
  auto session = Session::Create(g, {.use_plans = GetParam(), .device_set = *devices});
  ASSERT_TRUE(session.ok()) << session.status();
  auto out = (*session)->Run({{x, Tensor::Of<float>({1, 2})}}, {y});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(Message(out.status())),
              HasSubstr("this build has no kernel for devices like"));
}

TEST_P(AddedDevices, MemoryEndsAtTheLimitWithAReport) {
  auto devices = SetWith(1, 64 << 10, /*sealed=*/false);
  ASSERT_TRUE(devices.ok()) << devices.status();
  Graph g;
  DeviceScope on_gpu(g, "/gpu:0");
  Output x = Placeholder(g, DType::kFloat32, {-1});
  Output y = Exp(x, {.name = "large"});
  auto session = Session::Create(g, {.use_plans = GetParam(), .device_set = *devices});
  ASSERT_TRUE(session.ok()) << session.status();
  auto small = (*session)->Run({{x, Tensor(DType::kFloat32, {1000})}}, {y});
  EXPECT_TRUE(small.ok()) << small.status();
  auto large = (*session)->Run({{x, Tensor(DType::kFloat32, {20000})}}, {y});
  EXPECT_EQ(large.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(Message(large.status())), HasSubstr("out of memory on /job:localhost"));
}

TEST(AddedDevice, TensorsMayOutliveTheDevice) {
  auto device = AddedDevice::Open(0, 1 << 20, /*sealed=*/false);
  ASSERT_TRUE(device.ok()) << device.status();
  auto tensor = Tensor::Allocate((*device)->allocator(), DType::kFloat32, {4}, "kept");
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  device->reset();
  tensor->data<float>()[3] = 1;
  EXPECT_EQ(tensor->data<float>()[3], 1);
}

TEST(AddedDevice, AChildRefusesAndEnds) {
  auto devices = SetWith(1, 1 << 20, /*sealed=*/false);
  ASSERT_TRUE(devices.ok()) << devices.status();
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);
    Tensor host(DType::kFloat32, {4}), there = host.Clone();
    const Status refused = (*devices)->device(1).CopyIn(host, there);
    devices->reset();  // joins no thread
    _exit(absl::IsFailedPrecondition(refused) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE((*devices)->device(1).stream()->Synchronize().ok());
}

TEST(AddedDevice, NeedsANameOfItsOwn) {
  const auto refusal = [](DeviceInfo info, const DeviceOptions& options) {
    class Named final : public Device {
     public:
      explicit Named(DeviceInfo info) : Device(std::move(info)) {}
      Allocator& allocator() override { return HostAllocator(); }
      WorkerPool& workers() override { return workers_; }
      Stream* stream() override { return nullptr; }
      Status CopyIn(const Tensor&, Tensor&) override { return absl::OkStatus(); }
      Status CopyOut(const Tensor&, Tensor&) override { return absl::OkStatus(); }

     private:
      WorkerPool workers_{1};
    };
    std::vector<std::unique_ptr<Device>> added;
    added.push_back(std::make_unique<Named>(std::move(info)));
    return std::string(Message(DeviceSet::Create(options, std::move(added)).status()));
  };
  const DeviceOptions none{.simulated_gpus = 0},
      one{.simulated_gpus = 1, .simulated_gpu_bytes = 1 << 20};
  const DeviceName gpu = DeviceName::Local("GPU", 0);
  EXPECT_EQ(refusal({.name = gpu, .type = "GPU"}, none), "");
  EXPECT_THAT(refusal({.name = gpu, .type = "GPU"}, one),
              HasSubstr("two devices named '/job:localhost"));
  EXPECT_THAT(refusal({.name = gpu, .type = "CPU"}, none), HasSubstr("its name says 'GPU'"));
  EXPECT_THAT(refusal({.name = {.type = "GPU", .index = 0}, .type = "GPU"}, none),
              HasSubstr("a full name"));
  std::vector<std::unique_ptr<Device>> nothing(1);
  EXPECT_EQ(DeviceSet::Create(none, std::move(nothing)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace headrace
