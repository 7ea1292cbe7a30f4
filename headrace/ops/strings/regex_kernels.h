// CPU kernels of regex.cpp; with the pattern as an attribute or as an input.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeRegexReplaceCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeRegexFullMatchCpu(const KernelInit& init);

}  // namespace headrace
