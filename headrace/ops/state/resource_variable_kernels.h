// CPU kernels of resource_variable.cpp; those that ops on ref edges have too are in the headers of
// these.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeVarHandleCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReadVariableCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAssignVariableCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeVarIsInitializedCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeVariableShapeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDestroyResourceCpu(const KernelInit& init);

}  // namespace headrace
