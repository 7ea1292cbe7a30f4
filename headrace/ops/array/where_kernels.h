// CPU kernels of where.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeWhereCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeUniqueCpu(
    const KernelInit& init);  // Unique, UniqueV2, UniqueWithCounts
StatusOr<std::unique_ptr<Kernel>> MakeListDiffCpu(const KernelInit& init);

}  // namespace headrace
