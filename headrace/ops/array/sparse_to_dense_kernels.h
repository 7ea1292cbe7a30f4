// The kernel factory of SparseToDense, for its definition.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSparseToDenseCpu(const KernelInit& init);

}  // namespace headrace
