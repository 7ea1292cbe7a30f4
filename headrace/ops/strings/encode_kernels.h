// CPU kernels of encode.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeEncodeBase64Cpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodeBase64Cpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDecodeCompressedCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSerializeTensorCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeParseTensorCpu(const KernelInit& init);

}  // namespace headrace
