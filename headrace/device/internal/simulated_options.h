// How many simulated GPUs there are and how they are set up: session options over environment
// variables.
#pragma once

#include "headrace/device/device_set.h"
#include "headrace/device/simulated/simulated_gpu.h"

namespace headrace::internal {

struct SimulatedOptions {
  int count = 0;
  SimulatedSetup setup;  // threads are left at 1
};

// Errors: InvalidArgument for a variable or option that is no sensible number.
StatusOr<SimulatedOptions> ReadSimulatedOptions(const DeviceOptions& options);

}  // namespace headrace::internal
