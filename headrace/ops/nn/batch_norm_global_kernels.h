// Kernel factories of batch normalisation by given moments, for its definition.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeBatchNormGlobalCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBatchNormGlobalGradCpu(const KernelInit& init);

}  // namespace headrace
