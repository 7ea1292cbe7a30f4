// Kernel factories of the softmax and cross-entropy ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSoftmaxCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeLogSoftmaxCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSoftmaxCrossEntropyCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseSoftmaxCrossEntropyCpu(const KernelInit& init);

}  // namespace headrace
