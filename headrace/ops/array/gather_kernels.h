// CPU kernels of gather.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeGatherCpu(const KernelInit& init);  // Gather, GatherV2, ResourceGather
StatusOr<std::unique_ptr<Kernel>> MakeGatherNdCpu(const KernelInit& init);  // and ResourceGatherNd
StatusOr<std::unique_ptr<Kernel>> MakeScatterNdCpu(const KernelInit& init);

}  // namespace headrace
