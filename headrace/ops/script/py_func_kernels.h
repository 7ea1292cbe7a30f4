#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakePyFuncCpu(const KernelInit& init);

}  // namespace headrace
