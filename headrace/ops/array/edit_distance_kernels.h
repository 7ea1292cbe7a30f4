// CPU kernel of edit_distance.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeEditDistanceCpu(const KernelInit& init);

}  // namespace headrace
