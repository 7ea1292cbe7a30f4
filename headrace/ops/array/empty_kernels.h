// CPU kernels of empty.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeEmptyCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeImmutableConstCpu(const KernelInit& init);

}  // namespace headrace
