#pragma once

#include <memory>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeCrossCpu(const KernelInit& init);

}  // namespace headrace
