// Kernel factories of SpaceToBatch and its relatives, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSpaceToBatchCpu(
    const KernelInit& init);  // with and without ND
StatusOr<std::unique_ptr<Kernel>> MakeBatchToSpaceCpu(const KernelInit& init);

}  // namespace headrace
