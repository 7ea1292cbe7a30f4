// Kernel factories of the ops that act as if they quantized, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

// One for all of FakeQuantWithMinMaxArgs, ...Vars and ...VarsPerChannel, one for their gradients.
StatusOr<std::unique_ptr<Kernel>> MakeFakeQuantCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFakeQuantGradientCpu(const KernelInit& init);
// For all three versions.
StatusOr<std::unique_ptr<Kernel>> MakeQuantizeAndDequantizeCpu(const KernelInit& init);

}  // namespace headrace
