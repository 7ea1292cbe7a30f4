// CPU kernels of encode.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeEncodeJpegCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeEncodeJpegVariableQualityCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeEncodePngCpu(const KernelInit& init);

}  // namespace headrace
