// Kernel factory of the ops that sample boxes, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSampleBoxCpu(const KernelInit& init);  // both versions

}  // namespace headrace
