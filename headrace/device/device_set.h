// The devices of a session, made from options.
//
//   HR_ASSIGN_OR_RETURN(auto devices, DeviceSet::Create({.simulated_gpus = 2}));
//   Device* gpu1 = devices->Find("/gpu:1");
//
// A program may add devices of its own making (docs/add_a_device.md):
//
//   added.push_back(std::make_unique<MyDevice>(...));
//   HR_ASSIGN_OR_RETURN(auto devices, DeviceSet::Create({}, std::move(added)));
//
// Listing (ListDevices) opens nothing. Sessions with equal options share the underlying hardware objects.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/device/device.h"

namespace headrace {

// Where "the same as TensorFlow 1" and "right" disagree.
enum class Profile { kStrict, kCompat };

struct GpuOptions {
  double per_process_gpu_memory_fraction = 0;  // of the total; 0 = all
  int64_t memory_limit_bytes = 0;              // 0 = no absolute limit; the smaller limit wins
  bool allow_growth = false;                   // take memory as it is needed instead of at once
  std::string visible_device_list;             // "1,0": physical GPUs in order of their index here; "" = all
};

struct DeviceOptions {
  int cpu_count = 1;                // CPU devices; they share the cores
  int threads = 0;                  // worker threads of all CPU devices together; 0 = HEADRACE_THREADS, or the cores
  int gpu_count = -1;               // at most that many GPUs; -1 = all visible (none for a task of job "ps")
  GpuOptions gpu;
  // GPUs that compute with CPU kernels; -1 = HEADRACE_SIMULATED_GPUS (default 0).
  int simulated_gpus = -1;
  int64_t simulated_gpu_bytes = 0;  // memory of each; 0 = HEADRACE_SIMULATED_GPU_BYTES, or 1 GiB
  std::string job = "localhost";
  int task = 0;
  // What to do when GPU options differ from those with which a GPU is open in this process already: kCompat
  // warns once and keeps the first, kStrict gives FailedPrecondition naming both values and the first user.
  Profile profile = Profile::kStrict;
  std::string user;                 // who asks, for errors: "session at train.cpp:12"
};

class DeviceSet {
 public:
  // GPUs are renumbered from 0: first by HEADRACE_VISIBLE_GPUS (or CUDA_VISIBLE_DEVICES where that is not set), then
  // by visible_device_list, whose numbers count what the variable left.
  // Errors: InvalidArgument (bad list, negative counts, a fraction outside [0,1]); FailedPrecondition (above, and for
  // HEADRACE_REQUIRE_GPU=1 without a GPU); ResourceExhausted when a GPU's memory cannot be had.
  // `added` come after those of the options. Each needs a full name that no other device has, and its type in it
  // (InvalidArgument); the set owns them.
  static StatusOr<std::shared_ptr<DeviceSet>> Create(const DeviceOptions& options,
                                                     std::vector<std::unique_ptr<Device>> added = {});
  // For tests and tools: devices that exist only as names ("cpu:1,gpu:4"), without memory or threads.
  static StatusOr<std::vector<DeviceInfo>> Imagine(std::string_view spec);

  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  std::vector<DeviceInfo> infos() const;
  int size() const { return static_cast<int>(devices_.size()); }
  Device& device(int i) const { return *devices_[i]; }
  Device& cpu() const { return *devices_[0]; }  // CPU:0, always there
  // A device by full or partial name that matches exactly one; nullptr otherwise.
  Device* Find(std::string_view name) const;

 private:
  std::vector<std::unique_ptr<Device>> devices_;  // CPUs first, then GPUs, by index; then added ones
};

// What this machine has and why a device is not used ("hidden by CUDA_VISIBLE_DEVICES"), opening nothing.
struct DeviceListing {
  DeviceInfo info;
  bool used = true;
  std::string reason;  // why not used
};
StatusOr<std::vector<DeviceListing>> ListDevices(const DeviceOptions& options = {});

}  // namespace headrace
