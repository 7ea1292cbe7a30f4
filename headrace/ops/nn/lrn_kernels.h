// Kernel factories of the LRN ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeLRNCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLRNGradCpu(const KernelInit& init);

}  // namespace headrace
