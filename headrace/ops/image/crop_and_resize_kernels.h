// Kernel factories of CropAndResize and its gradients, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeCropAndResizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeCropAndResizeGradImageCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeCropAndResizeGradBoxesCpu(const KernelInit& init);

}  // namespace headrace
