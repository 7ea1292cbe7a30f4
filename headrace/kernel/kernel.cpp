#include "headrace/kernel/kernel.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "headrace/base/strings.h"
#include "headrace/kernel/context_builder.h"

namespace headrace {
namespace {

// What an output is called in memory reports: "layer1/Relu (Relu)".
std::string OwnerName(const Node& node) {
  return StrCat(node.name(), " (", node.op_name(), ")");
}

// True if the device keeps this output in host memory (a shape that the host must read).
bool StaysOnHost(const Node& node, const Device& device, int output) {
  if (!device.separate_memory()) return false;
  StatusOr<const DeviceSupport*> support = FindSupport(node, device.type());
  if (!support.ok() || (*support)->host_args.empty()) return false;
  const std::string& name = node.op().OutputArg(node.attrs(), output).name;
  return std::find((*support)->host_args.begin(), (*support)->host_args.end(), name) !=
         (*support)->host_args.end();
}

}  // namespace

StatusOr<Tensor*> KernelContext::AllocateOutput(int i, const Shape& shape) {
  Tensor& out = outputs_[i];
  if (planned_ != nullptr && planned_[i]) {
    return Internal(node_->Describe(), ": the kernel makes output ", i, " of shape ",
                    shape.ToString(), ", but the op's shape function promised ",
                    out.shape().ToString(), "; one of them is wrong");
  }
  out = Tensor();  // give the old bytes back first
  Allocator& memory = StaysOnHost(*node_, *device_, i) ? HostAllocator() : device_->allocator();
  HR_ASSIGN_OR_RETURN(out, Tensor::Allocate(memory, output_type(i), shape, OwnerName(*node_)));
  return &out;
}

Status KernelContext::Scratch(Tensor& scratch, DType type, const Shape& shape) {
  if (scratch.dtype() == type && scratch.shape() == shape) return absl::OkStatus();
  scratch = Tensor();
  HR_ASSIGN_OR_RETURN(scratch,
                      Tensor::Allocate(device_->allocator(), type, shape, OwnerName(*node_)));
  return absl::OkStatus();
}

// The call has a token of its own, so that what it registers there ends with it, and not with the session.
Status AsyncKernel::Compute(KernelContext& ctx) {
  const StepContext& step = ctx.step();
  Cancellation& outer = *step.cancellation;
  Cancellation mine(outer.deadline());
  const auto link = outer.OnCancel([&] { mine.Cancel(outer.status()); });
  if (!link) mine.Cancel(outer.status());
  StepContext call = step;
  call.cancellation = &mine;
  ContextBuilder::SetStep(ctx, call);

  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  Status result;
  ComputeAsync(ctx, [&](Status status) {
    std::lock_guard lock(mutex);
    result = std::move(status);
    finished = true;
    // Under the lock: `changed` is gone as soon as the waiter sees `finished`.
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  const auto ended = [&] { return finished; };
  if (mine.deadline() && !changed.wait_until(lock, *mine.deadline(), ended)) {
    lock.unlock();
    mine.Cancel(absl::DeadlineExceededError("the deadline of the call has passed"));
    lock.lock();
    changed.wait(lock, ended);
    if (!result.ok()) result = mine.status();
  }
  changed.wait(lock, ended);
  lock.unlock();
  outer.Remove(link);
  ContextBuilder::SetStep(ctx, step);
  return result;
}

StatusOr<std::unique_ptr<Kernel>> CreateKernel(const Node& node, Device& device,
                                               ResourceStore& resources) {
  HR_ASSIGN_OR_RETURN(const DeviceSupport* support, FindSupport(node, device.type()));
  // A device whose memory the host can read computes with the CPU's kernels, within the limits of
  // its own table.
  if (device.host_accessible() && device.type() != "CPU") {
    StatusOr<const DeviceSupport*> cpu = FindSupport(node, "CPU");
    if (!cpu.ok()) {
      return Unimplemented(
          node.Describe(), ": ", device.name(),
          " is simulated with CPU kernels, and there is none: ", Message(cpu.status()));
    }
    support = *cpu;
  }
  if (support->make == nullptr) {
    return Unimplemented(node.Describe(), ": this build has no kernel for devices like ",
                         device.name());
  }
  StatusOr<std::unique_ptr<Kernel>> kernel = support->make(KernelInit(node, device, resources));
  if (!kernel.ok()) return Annotate(kernel.status(), StrCat(node.Describe(), ": "));
  return kernel;
}

}  // namespace headrace
