// Kernel factories of the pools over volumes, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMaxPool3DCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMaxPool3DGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMaxPool3DGradGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAvgPool3DCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAvgPool3DGradCpu(const KernelInit& init);

}  // namespace headrace
