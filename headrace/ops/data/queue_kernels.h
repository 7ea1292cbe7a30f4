// CPU kernels of queue.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeQueueCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeEnqueueCpu(const KernelInit& init);  // Enqueue, EnqueueMany
StatusOr<std::unique_ptr<Kernel>> MakeDequeueCpu(const KernelInit& init);  // Dequeue
StatusOr<std::unique_ptr<Kernel>> MakeDequeueManyCpu(
    const KernelInit& init);  // DequeueMany, DequeueUpTo
StatusOr<std::unique_ptr<Kernel>> MakeQueueCloseCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeQueueSizeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeQueueIsClosedCpu(const KernelInit& init);

}  // namespace headrace
