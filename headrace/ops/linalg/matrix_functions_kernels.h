#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatrixExponentialCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatrixLogarithmCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatrixSquareRootCpu(const KernelInit& init);

}  // namespace headrace
