// Kernel factories of the ops that resize images, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeResizeBilinearCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeResizeBilinearGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeResizeNearestNeighborCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeResizeNearestNeighborGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeResizeBicubicCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeResizeBicubicGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeResizeAreaCpu(const KernelInit& init);

}  // namespace headrace
