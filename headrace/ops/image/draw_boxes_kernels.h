// Kernel factory of the ops that draw boxes, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeDrawBoundingBoxesCpu(const KernelInit& init);  // both

}  // namespace headrace
