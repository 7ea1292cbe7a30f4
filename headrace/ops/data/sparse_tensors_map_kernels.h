// CPU kernels of sparse_tensors_map.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeAddSparseCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAddManySparseCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTakeManySparseCpu(const KernelInit& init);

}  // namespace headrace
