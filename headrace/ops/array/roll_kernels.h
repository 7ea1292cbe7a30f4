// CPU kernel of roll.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeRollCpu(const KernelInit& init);

}  // namespace headrace
