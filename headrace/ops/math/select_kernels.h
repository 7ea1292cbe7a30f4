#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSelectCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSelectV2Cpu(const KernelInit& init);

}  // namespace headrace
