// CPU kernels of files.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeReadFileCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeWriteFileCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMatchingFilesCpu(const KernelInit& init);

}  // namespace headrace
