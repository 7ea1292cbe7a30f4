// GPUs that compute with CPU kernels: the name, the support table, the bounded memory, the stream
// and the copies of a GPU on a machine that has none. They call themselves simulated wherever they
// appear.
//
//   HR_ASSIGN_OR_RETURN(auto hardware, SimulatedGpu::Open(physical_index, setup, profile));
//   auto device = std::make_unique<SimulatedDevice>(info, hardware);
//
// The hardware of one physical index exists once in the process, while somebody uses it; all its
// users have the same setup. Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "headrace/device/device_set.h"
#include "headrace/device/pool_allocator.h"
#include "headrace/device/simulated/simulated_stream.h"

namespace headrace {

// With what the hardware is opened.
struct SimulatedSetup {
  int64_t total_bytes = 0;
  double memory_fraction = 0;  // as in GpuOptions
  int64_t memory_limit_bytes = 0;
  bool allow_growth = false;
  int threads = 1;   // of its worker pool; not part of what must agree
  std::string user;  // who opens it, for errors

  // What the device may use of total_bytes.
  int64_t LimitBytes() const;
  bool AgreesWith(const SimulatedSetup& other) const;
  std::string ToString() const;
};

class SimulatedGpu {
 public:
  // Errors: FailedPrecondition when it is open with another setup (kStrict; with kCompat one
  // warning, and the setup stays as it is); ResourceExhausted when its memory cannot be had.
  static StatusOr<std::shared_ptr<SimulatedGpu>> Open(int physical_index,
                                                      const SimulatedSetup& setup, Profile profile);

  const SimulatedSetup& setup() const { return setup_; }
  PoolAllocator& memory() { return *memory_; }
  SimulatedStream& stream() { return stream_; }
  WorkerPool& workers() { return workers_; }

 private:
  SimulatedGpu(SimulatedSetup setup, std::shared_ptr<PoolAllocator> memory)
      : setup_(std::move(setup)), memory_(std::move(memory)), workers_(setup_.threads) {}

  const SimulatedSetup setup_;
  const std::shared_ptr<PoolAllocator> memory_;
  WorkerPool workers_;
  SimulatedStream stream_;  // last: its work uses the others
};

class SimulatedDevice final : public Device {
 public:
  SimulatedDevice(DeviceInfo info, std::shared_ptr<SimulatedGpu> hardware)
      : Device(std::move(info)), hardware_(std::move(hardware)) {}

  Allocator& allocator() override { return hardware_->memory(); }
  WorkerPool& workers() override { return hardware_->workers(); }
  SimulatedStream* stream() override { return &hardware_->stream(); }
  bool separate_memory() const override { return true; }
  Status CopyIn(const Tensor& host, Tensor& device) override;
  Status CopyOut(const Tensor& device, Tensor& host) override;
  CopyStats copy_stats() const override;

 private:
  const std::shared_ptr<SimulatedGpu> hardware_;
  std::atomic<int64_t> copies_in_{0}, bytes_in_{0}, copies_out_{0}, bytes_out_{0};
};

}  // namespace headrace
