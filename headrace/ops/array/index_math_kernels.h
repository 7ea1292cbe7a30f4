// CPU kernels of index_math.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSearchCpu(const KernelInit& init);  // by the op's name
StatusOr<std::unique_ptr<Kernel>> MakeUnravelIndexCpu(const KernelInit& init);

}  // namespace headrace
