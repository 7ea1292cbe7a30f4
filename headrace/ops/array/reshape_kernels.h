// CPU kernels of reshape.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeReshapeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeExpandDimsCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSqueezeCpu(const KernelInit& init);

}  // namespace headrace
