#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeTridiagonalSolveCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTridiagonalMatMulCpu(const KernelInit& init);

}  // namespace headrace
