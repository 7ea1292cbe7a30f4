// Kernels of flow.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSwitch(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRefSwitch(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMerge(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRefMerge(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRefSelect(const KernelInit& init);

}  // namespace headrace
