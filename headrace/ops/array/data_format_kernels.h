// Kernel factories of the ops between layouts, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeDataFormatDimMapCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDataFormatVecPermuteCpu(const KernelInit& init);

}  // namespace headrace
