// CPU kernel of sparse_matmul.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSparseMatMulCpu(const KernelInit& init);

}  // namespace headrace
