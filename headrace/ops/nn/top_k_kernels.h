// Kernel factories of the ops that rank, for their definitions. Ops with k as an attribute share
// those of the ops with an input.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeTopKCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeInTopKCpu(const KernelInit& init);

}  // namespace headrace
