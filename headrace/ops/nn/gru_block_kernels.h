// Kernel factories of the GRU block ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeGRUBlockCellCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeGRUBlockCellGradCpu(const KernelInit& init);

}  // namespace headrace
