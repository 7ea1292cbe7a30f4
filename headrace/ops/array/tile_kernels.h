// CPU kernels of tile.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeTileCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTileGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBroadcastToCpu(const KernelInit& init);

}  // namespace headrace
