// Kernel factories of the set ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSetSizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSetOperationCpu(const KernelInit& init);

}  // namespace headrace
