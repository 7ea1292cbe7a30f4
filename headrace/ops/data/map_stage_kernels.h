// CPU kernels of map_stage.cpp; each serves both names of its op.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMapStageCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMapUnstageCpu(
    const KernelInit& init);  // MapUnstage, MapPeek, MapUnstageNoKey
StatusOr<std::unique_ptr<Kernel>> MakeMapSizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMapIncompleteSizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMapClearCpu(const KernelInit& init);

}  // namespace headrace
