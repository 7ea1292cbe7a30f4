// CPU kernels of sparse_math.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeSparseAddCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseAddGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseTensorDenseAddCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseSparseExtremeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseDenseCwiseCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseTensorDenseMatMulCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseSoftmaxCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseReduceCpu(const KernelInit& init);

}  // namespace headrace
