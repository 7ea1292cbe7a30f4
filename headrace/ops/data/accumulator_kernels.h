// CPU kernels of accumulator.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeAccumulatorCpu(const KernelInit& init);  // both kinds
StatusOr<std::unique_ptr<Kernel>> MakeApplyGradientCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeTakeGradientCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeNumAccumulatedCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSetGlobalStepCpu(const KernelInit& init);

}  // namespace headrace
