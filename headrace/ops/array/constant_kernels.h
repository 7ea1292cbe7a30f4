// CPU kernels of constant.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeConstCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFillCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeZerosLikeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeOnesLikeCpu(const KernelInit& init);

// Writes `value` to `count` elements of `type`.
void FillElements(WorkerPool& workers, DType type, void* out, int64_t count, const void* value);

}  // namespace headrace
