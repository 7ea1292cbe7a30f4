// CPU kernels of variable.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeVariableCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeIsVariableInitializedCpu(const KernelInit& init);

}  // namespace headrace
