// CPU kernels of slice.cpp and strided_slice.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSliceCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStridedSliceCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStridedSliceGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStridedSliceAssignCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTensorStridedSliceUpdateCpu(const KernelInit& init);

}  // namespace headrace
