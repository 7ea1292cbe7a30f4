#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeCholeskyCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeCholeskyGradCpu(const KernelInit& init);

}  // namespace headrace
