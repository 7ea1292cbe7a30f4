// CPU kernels of barrier.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeBarrierCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBarrierInsertManyCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBarrierTakeManyCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBarrierCloseCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBarrierReadySizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBarrierIncompleteSizeCpu(const KernelInit& init);

}  // namespace headrace
