// CPU kernels of sparse_segment.cpp, by the op's name.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSparseSegmentCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseSegmentGradCpu(const KernelInit& init);

}  // namespace headrace
