// Kernel factories of the convolution ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeConv2DCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeConv2DBackpropInputCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeConv2DBackpropFilterCpu(const KernelInit& init);

}  // namespace headrace
