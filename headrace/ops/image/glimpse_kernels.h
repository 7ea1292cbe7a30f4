// Kernel factory of ExtractGlimpse, for its definition.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeExtractGlimpseCpu(const KernelInit& init);

}  // namespace headrace
