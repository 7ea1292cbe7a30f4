// Kernel factories of the convolutions over volumes, for their definitions. The gradients serve
// both versions of their ops: those that take the whole tensor whose gradient they compute, and
// those that take its sizes.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeConv3DCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeConv3DBackpropInputCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeConv3DBackpropFilterCpu(const KernelInit& init);

}  // namespace headrace
