// CPU kernels of transpose.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeTransposeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeConjugateTransposeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeInvertPermutationCpu(const KernelInit& init);

}  // namespace headrace
