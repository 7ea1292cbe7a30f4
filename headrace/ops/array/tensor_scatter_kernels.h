// CPU kernels of tensor_scatter.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeTensorScatterCpu(const KernelInit& init);  // by the op's name
StatusOr<std::unique_ptr<Kernel>> MakeInplaceCpu(const KernelInit& init);        // by the op's name

}  // namespace headrace
