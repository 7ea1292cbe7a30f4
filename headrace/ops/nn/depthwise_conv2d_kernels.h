// Kernel factories of the depthwise convolution ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeDepthwiseConv2dCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDepthwiseConv2dBackpropInputCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDepthwiseConv2dBackpropFilterCpu(const KernelInit& init);

}  // namespace headrace
