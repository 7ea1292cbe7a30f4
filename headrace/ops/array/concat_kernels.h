// CPU kernels of concat.cpp and split.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeConcatCpu(const KernelInit& init);    // axis first
StatusOr<std::unique_ptr<Kernel>> MakeConcatV2Cpu(const KernelInit& init);  // axis last
StatusOr<std::unique_ptr<Kernel>> MakeConcatOffsetCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakePackCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeUnpackCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSplitCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSplitVCpu(const KernelInit& init);

// Sizes with at most one -1, which takes what is left of `total`; checked. For the kernel and the
// shape function of SplitV.
StatusOr<std::vector<int64_t>> ResolveSplitSizes(std::vector<int64_t> sizes, int64_t total);

}  // namespace headrace
