#include "headrace/kernel/kernel.h"

#include <gtest/gtest.h>

#include <thread>

#include "headrace/base/strings.h"
#include "headrace/device/device_set.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/context_builder.h"

namespace headrace {
namespace {

// y = 2x; `count` (int32, in host memory on GPUs) = number of elements.
Status TwiceCompute(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
  for (int64_t i = 0; i < x.num_elements(); ++i) y->data<float>()[i] = 2 * x.data<float>()[i];
  HR_ASSIGN_OR_RETURN(Tensor * count, ctx.Output(1, {}));
  *count->data<int32_t>() = static_cast<int32_t>(x.num_elements());
  return absl::OkStatus();
}

class LaterKernel final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext&, Done done) override {
    std::thread([done = std::move(done)] { done(OutOfRange("later")); }).detach();
  }
};
StatusOr<std::unique_ptr<Kernel>> MakeLater(const KernelInit&) {
  return std::make_unique<LaterKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeFails(const KernelInit& init) {
  return InvalidArgument("bad attribute of ", init.node().op_name());
}

class KernelTest : public testing::Test {
 protected:
  KernelTest() {
    const DeviceSupport floats{.types = {{"T", DTypeSet(DType::kFloat32)}},
                               .make = MakeFunctionKernel<TwiceCompute>};
    ops_.Define("Twice")
        .TypeAttr("T", kNumberTypes)
        .Input("x", "T")
        .Output("y", "T")
        .Output("count", "int32")
        .Shape(NoShape)
        .Cpu(floats)
        .Gpu({.types = {{"T", kGpuFloatTypes}}, .host_args = {"count"}});
    ops_.Define("Source").TypeAttr("T", kAllTypes).Output("y", "T").Shape(NoShape).Cpu({}).Gpu({});
    ops_.Define("Later").Shape(NoShape).Cpu({.make = MakeLater});
    ops_.Define("Fails").Shape(NoShape).Cpu({.make = MakeFails});
    devices_ =
        *DeviceSet::Create({.threads = 1, .simulated_gpus = 1, .simulated_gpu_bytes = 16 << 20});
  }
  Node* Twice(DType type, const char* name = "net/twice") {
    Node* x = *g_.AddNode({.op = "Source", .attrs = {{"T", type}}});
    return *g_.AddNode({.op = "Twice",
                        .name = name,
                        .inputs = {x->output(0)},
                        .location = Location::Of("net.cpp", 7)});
  }
  Node* Lone(const char* op) {
    return *g_.AddNode({.op = op, .location = Location::Of("net.cpp", 9)});
  }

  Status Compute(const Node& node, Device& device, const Tensor* input, Tensor* outputs,
                 const bool* planned = nullptr) {
    HR_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, CreateKernel(node, device, resources_));
    KernelContext ctx;
    Cancellation cancellation;
    const StepContext step{.cancellation = &cancellation};
    ContextBuilder::Fill(ctx, {.node = &node,
                               .device = &device,
                               .inputs = &input,
                               .num_inputs = 1,
                               .outputs = outputs,
                               .planned = planned,
                               .step = &step});
    return kernel->Compute(ctx);
  }

  OpRegistry ops_;
  Graph g_{ops_};
  std::shared_ptr<DeviceSet> devices_;
  ResourceStore resources_;
};

TEST_F(KernelTest, AllocatesOutputsOnTheDeviceAndHostArgumentsOnTheHost) {
  const Node& node = *Twice(DType::kFloat32);
  const Tensor x = Tensor::Of<float>({1, 2, 3});
  for (int d = 0; d < 2; ++d) {
    Tensor outputs[2];
    ASSERT_TRUE(Compute(node, devices_->device(d), &x, outputs).ok());
    EXPECT_EQ(outputs[0].flat<float>()[2], 6);
    EXPECT_EQ(outputs[1].scalar<int32_t>(), 3);
    EXPECT_EQ(outputs[0].buffer()->allocator(), &devices_->device(d).allocator());
    EXPECT_EQ(outputs[1].buffer()->allocator(),
              d == 0 ? &devices_->cpu().allocator() : &HostAllocator());
  }
}

TEST_F(KernelTest, PlannedMemoryIsUsedAsItIs) {
  const Node& node = *Twice(DType::kFloat32);
  const Tensor x = Tensor::Of<float>({1, 2, 3});
  float memory[3] = {};
  Tensor outputs[2] = {Tensor::View(DType::kFloat32, {3}, memory), Tensor()};
  const bool planned[2] = {true, false};
  ASSERT_TRUE(Compute(node, devices_->cpu(), &x, outputs, planned).ok());
  EXPECT_EQ(memory[1], 4);
}

TEST_F(KernelTest, AShapeOtherThanPlannedIsTheOpsError) {
  const Node& node = *Twice(DType::kFloat32);
  const Tensor x = Tensor::Of<float>({1, 2, 3});
  float memory[4] = {};
  Tensor outputs[2] = {Tensor::View(DType::kFloat32, {4}, memory), Tensor()};
  const bool planned[2] = {true, false};
  const Status status = Compute(node, devices_->cpu(), &x, outputs, planned);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  for (const char* part :
       {"net/twice", "net.cpp:7", "output 0", "[3]", "shape function promised [4]"}) {
    EXPECT_NE(Message(status).find(part), std::string_view::npos) << status;
  }
}

TEST_F(KernelTest, AnOutputThatFitsIsReused) {
  const Node& node = *Twice(DType::kFloat32);
  const Tensor x = Tensor::Of<float>({1, 2, 3});
  Tensor outputs[2];
  ASSERT_TRUE(Compute(node, devices_->cpu(), &x, outputs).ok());
  const void* before = outputs[0].raw_data();
  ASSERT_TRUE(Compute(node, devices_->cpu(), &x, outputs).ok());
  EXPECT_EQ(outputs[0].raw_data(), before);
}

TEST_F(KernelTest, OutOfMemoryNamesTheNode) {
  const Node& node = *Twice(DType::kFloat32);
  const Tensor x(DType::kFloat32, {5 << 20});
  Tensor outputs[2];
  const Status status = Compute(node, devices_->device(1), &x, outputs);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_NE(Message(status).find("net/twice (Twice)"), std::string_view::npos) << status;
}

TEST_F(KernelTest, ScratchChangesOnlyWithShapeOrType) {
  const Node& node = *Twice(DType::kFloat32);
  KernelContext ctx;
  ContextBuilder::Fill(ctx, {.node = &node, .device = &devices_->cpu()});
  Tensor scratch;
  ASSERT_TRUE(ctx.Scratch(scratch, DType::kFloat32, {8}).ok());
  const void* before = scratch.raw_data();
  ASSERT_TRUE(ctx.Scratch(scratch, DType::kFloat32, {8}).ok());
  EXPECT_EQ(scratch.raw_data(), before);
  ASSERT_TRUE(ctx.Scratch(scratch, DType::kInt64, {2, 2}).ok());
  EXPECT_EQ(scratch.dtype(), DType::kInt64);
  EXPECT_EQ(scratch.shape(), Shape({2, 2}));
}

TEST_F(KernelTest, CreationFollowsTheSupportTables) {
  EXPECT_TRUE(CreateKernel(*Twice(DType::kFloat32), devices_->device(1), resources_).ok());
  // float64 is in the GPU's table, but no CPU kernel computes it: a simulated GPU says so.
  EXPECT_EQ(CreateKernel(*Twice(DType::kFloat64), devices_->device(1), resources_).status().code(),
            absl::StatusCode::kUnimplemented);
  EXPECT_EQ(CreateKernel(*Twice(DType::kInt32), devices_->device(1), resources_).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CreateKernel(*Lone("Later"), devices_->device(1), resources_).status().code(),
            absl::StatusCode::kInvalidArgument);
  const Status failed = CreateKernel(*Lone("Fails"), devices_->cpu(), resources_).status();
  EXPECT_NE(Message(failed).find("net.cpp:9"), std::string_view::npos) << failed;
  EXPECT_NE(Message(failed).find("bad attribute of Fails"), std::string_view::npos);
  Node* source = *g_.AddNode({.op = "Source", .attrs = {{"T", DType::kFloat32}}});
  EXPECT_EQ(CreateKernel(*source, devices_->cpu(), resources_).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(KernelTest, ComputeOfAnAsyncKernelWaits) {
  Tensor none;
  const Status status = Compute(*Lone("Later"), devices_->cpu(), nullptr, &none);
  EXPECT_EQ(Message(status), "later");
}

}  // namespace
}  // namespace headrace
