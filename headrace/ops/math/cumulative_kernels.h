#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

// Cumsum, Cumprod: by the op's name.
StatusOr<std::unique_ptr<Kernel>> MakeCumulativeCpu(const KernelInit& init);

}  // namespace headrace
