// Kernel factories of the pooling ops, for their definitions. The V2 ops use those of the ops
// without.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolGradGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolWithArgmaxCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolGradWithArgmaxCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMaxPoolGradGradWithArgmaxCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAvgPoolCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAvgPoolGradCpu(const KernelInit& init);

}  // namespace headrace
