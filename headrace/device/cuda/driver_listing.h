// The NVIDIA GPUs that the driver shows in /proc, found without loading anything or opening a
// device.
#pragma once

#include <string>
#include <vector>

namespace headrace {

struct DriverGpu {
  std::string model;   // "NVIDIA H200"
  std::string bus_id;  // "0000:3b:00.0"
};
// By bus id. `root` is "/proc/driver/nvidia/gpus" but in tests.
std::vector<DriverGpu> ListDriverGpus(const std::string& root = "/proc/driver/nvidia/gpus");

}  // namespace headrace
