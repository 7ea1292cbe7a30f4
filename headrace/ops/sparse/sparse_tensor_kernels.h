// CPU kernels of sparse_tensor.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSparseReorderCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseReshapeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseConcatCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseSplitCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseSliceCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseSliceGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseFillEmptyRowsCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseFillEmptyRowsGradCpu(const KernelInit& init);

}  // namespace headrace
