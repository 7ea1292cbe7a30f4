// CPU kernels of variable.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

// The variable that a VariableV2 or VarHandleOp node names, made if it is not there.
StatusOr<std::shared_ptr<VariableResource>> FindVariable(const KernelInit& init);

StatusOr<std::unique_ptr<Kernel>> MakeVariableCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeIsVariableInitializedCpu(const KernelInit& init);

}  // namespace headrace
