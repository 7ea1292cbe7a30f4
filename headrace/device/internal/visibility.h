// Which physical GPUs a session uses, and why it does not use the others.
#pragma once

#include <string>
#include <vector>

#include "headrace/device/device_set.h"

namespace headrace::internal {

struct Visibility {
  std::vector<int> physical;         // in the order of their numbers in the session
  std::vector<std::string> why_not;  // by physical number; "" = used
};

// Applies, in this order: HEADRACE_VISIBLE_GPUS (else CUDA_VISIBLE_DEVICES),
// options.gpu.visible_device_list, options.gpu_count (and the rule for jobs named "ps"). `count` =
// physical GPUs. Errors: InvalidArgument for a visible_device_list that does not parse, repeats a
// number or names a missing GPU.
StatusOr<Visibility> VisibleGpus(int count, const DeviceOptions& options);

// The numbers in CUDA's syntax: a list that ends before the first entry that is not the number of a
// GPU (so "-1" hides all). An empty list hides all.
std::vector<int> ParseVisibleVariable(std::string_view text, int count);

}  // namespace headrace::internal
