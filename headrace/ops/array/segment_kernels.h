// CPU kernels of segment.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeUnsortedSegmentCpu(
    const KernelInit& init);  // by the op's name
StatusOr<std::unique_ptr<Kernel>> MakeSegmentCpu(const KernelInit& init);

}  // namespace headrace
