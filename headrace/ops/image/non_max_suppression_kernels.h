// Kernel factories of non-maximum suppression, for the definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeNonMaxSuppressionCpu(const KernelInit& init);  // all versions
StatusOr<std::unique_ptr<Kernel>> MakeSuppressionWithOverlapsCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeCombinedSuppressionCpu(const KernelInit& init);

}  // namespace headrace
