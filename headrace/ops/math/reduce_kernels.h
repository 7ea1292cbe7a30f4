#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

// Sum, Mean, Prod, Max, Min, All, Any: by the op's name.
StatusOr<std::unique_ptr<Kernel>> MakeReduceCpu(const KernelInit& init);
// ArgMax, ArgMin.
StatusOr<std::unique_ptr<Kernel>> MakeArgReduceCpu(const KernelInit& init);

}  // namespace headrace
