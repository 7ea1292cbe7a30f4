// Kernel factory of L2Loss, for its definition.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeL2LossCpu(const KernelInit& init);

}  // namespace headrace
