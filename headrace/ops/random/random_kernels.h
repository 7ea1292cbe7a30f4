// Kernel factories of the random ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeRandomUniformCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomUniformIntCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomStandardNormalCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTruncatedNormalCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRandomShuffleCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMultinomialCpu(const KernelInit& init);

}  // namespace headrace
