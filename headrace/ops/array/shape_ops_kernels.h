// CPU kernels of shape_ops.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeShapeCpu(const KernelInit& init);  // Shape and ShapeN
StatusOr<std::unique_ptr<Kernel>> MakeSizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRankCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBroadcastGradientArgsCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeBroadcastArgsCpu(const KernelInit& init);

}  // namespace headrace
