// CPU kernels of join.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeStringJoinCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeReduceJoinCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeUnsortedSegmentJoinCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStringSplitCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStringSplitV2Cpu(const KernelInit& init);

}  // namespace headrace
