// CPU kernels of histogram.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeBincountCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBucketizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeHistogramCpu(const KernelInit& init);

}  // namespace headrace
