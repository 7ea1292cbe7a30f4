// The kernel factory of NthElement, for its definition.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeNthElementCpu(const KernelInit& init);

}  // namespace headrace
