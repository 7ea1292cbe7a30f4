// CPU kernels of summary.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeScalarSummaryCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeHistogramSummaryCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeImageSummaryCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeAudioSummaryCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTensorSummaryCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMergeSummaryCpu(const KernelInit& init);

}  // namespace headrace
