// CPU kernels of dynamic.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeDynamicPartitionCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDynamicStitchCpu(const KernelInit& init);

}  // namespace headrace
