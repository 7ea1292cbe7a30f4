#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatrixInverseCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatrixSolveCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatrixTriangularSolveCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatrixSolveLsCpu(const KernelInit& init);

}  // namespace headrace
