#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSelfAdjointEigCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSelfAdjointEigV1Cpu(const KernelInit& init);

}  // namespace headrace
