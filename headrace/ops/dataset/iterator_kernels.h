// CPU kernels of iterator_ops.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeIteratorCpu(const KernelInit& init);  // and V2
StatusOr<std::unique_ptr<Kernel>> MakeStartedIteratorCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeMakeIteratorCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeIteratorGetNextCpu(const KernelInit& init);  // and Sync
StatusOr<std::unique_ptr<Kernel>> MakeIteratorToStringHandleCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeIteratorFromStringHandleCpu(
    const KernelInit& init);  // and V2
StatusOr<std::unique_ptr<Kernel>> MakeSerializeIteratorCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDeserializeIteratorCpu(const KernelInit& init);

}  // namespace headrace
