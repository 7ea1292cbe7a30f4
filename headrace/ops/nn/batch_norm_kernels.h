// Kernel factories of the batch normalisation ops, for their definitions. All versions share them.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeFusedBatchNormCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFusedBatchNormGradCpu(const KernelInit& init);

}  // namespace headrace
