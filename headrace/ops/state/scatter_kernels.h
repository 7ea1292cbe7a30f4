// CPU kernels of scatter.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeScatterCpu(
    const KernelInit& init);  // which one: by the op's name
StatusOr<std::unique_ptr<Kernel>> MakeScatterNdRefCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeCountUpToCpu(const KernelInit& init);

}  // namespace headrace
