// Kernel factories of the ops on colours, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeRGBToHSVCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeHSVToRGBCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAdjustHueCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAdjustSaturationCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAdjustContrastCpu(const KernelInit& init);

}  // namespace headrace
