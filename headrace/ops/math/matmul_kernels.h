#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeMatMulCpu(const KernelInit& init);
// _FusedMatMul and _MatMulApplyGradientDescent: what products are rewritten to when a step is
// compiled.
StatusOr<std::unique_ptr<Kernel>> MakeFusedMatMulCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatMulDescentCpu(const KernelInit& init);
// BatchMatMul, and BatchMatMulV2 with broadcasting of the batch.
StatusOr<std::unique_ptr<Kernel>> MakeBatchMatMulCpu(const KernelInit& init);

}  // namespace headrace
