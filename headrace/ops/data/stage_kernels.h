// CPU kernels of stage.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeStageCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeUnstageCpu(const KernelInit& init);  // StagePeek, too
StatusOr<std::unique_ptr<Kernel>> MakeStageSizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeStageClearCpu(const KernelInit& init);

}  // namespace headrace
