// CPU kernels of hash.cpp.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeHashBucketCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeHashBucketFastCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeHashBucketStrongCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFingerprintCpu(const KernelInit& init);

// That Fingerprint knows this method.
Status CheckMethod(const Tensor& method);

}  // namespace headrace
