// CPU kernels of assign.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeAssignCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAssignAddCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAssignSubCpu(const KernelInit& init);

}  // namespace headrace
