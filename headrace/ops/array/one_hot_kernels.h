// CPU kernel of one_hot.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeOneHotCpu(const KernelInit& init);

}  // namespace headrace
