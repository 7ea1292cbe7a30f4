// Kernel factories of the bias ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeBiasAddCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBiasAddGradCpu(const KernelInit& init);

}  // namespace headrace
