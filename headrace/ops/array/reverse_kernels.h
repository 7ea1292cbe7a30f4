// CPU kernels of reverse.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeReverseCpu(const KernelInit& init);    // by bools
StatusOr<std::unique_ptr<Kernel>> MakeReverseV2Cpu(const KernelInit& init);  // by axes
StatusOr<std::unique_ptr<Kernel>> MakeReverseSequenceCpu(const KernelInit& init);

}  // namespace headrace
