// Kernel factories of SpaceToDepth and DepthToSpace, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSpaceToDepthCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDepthToSpaceCpu(const KernelInit& init);

}  // namespace headrace
