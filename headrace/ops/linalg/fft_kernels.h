#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeFftCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRealFftCpu(const KernelInit& init);

}  // namespace headrace
