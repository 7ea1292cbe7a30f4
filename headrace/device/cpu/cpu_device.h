// The CPU as a device: plain memory, a share of the cores, work on the caller's thread.
#pragma once

#include <memory>

#include "headrace/device/cpu/cpu_allocator.h"
#include "headrace/device/device.h"

namespace headrace {

class CpuDevice final : public Device {
 public:
  CpuDevice(DeviceInfo info, std::shared_ptr<WorkerPool> workers)
      : Device(std::move(info)), workers_(std::move(workers)) {}

  Allocator& allocator() override { return memory_; }
  WorkerPool& workers() override { return *workers_; }
  Stream* stream() override { return nullptr; }
  Status CopyIn(const Tensor& host, Tensor& device) override {
    device.CopyElementsFrom(host);
    return absl::OkStatus();
  }
  Status CopyOut(const Tensor& device, Tensor& host) override {
    host.CopyElementsFrom(device);
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<WorkerPool> workers_;
  // Looked up here, so that no thread is inside its first use when another one forks.
  CpuAllocator& memory_ = CpuAllocator::Global();
};

// The worker pools of `devices` CPU devices that share `threads` cores; each has at least one
// thread. Sessions that ask for the same division share the pools.
std::vector<std::shared_ptr<WorkerPool>> SharedCpuPools(int devices, int threads);

// `requested`, or HEADRACE_THREADS, or the cores this process may use. InvalidArgument for a bad
// variable.
StatusOr<int> ThreadCount(int requested);

}  // namespace headrace
