#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatrixDeterminantCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLogMatrixDeterminantCpu(const KernelInit& init);

}  // namespace headrace
