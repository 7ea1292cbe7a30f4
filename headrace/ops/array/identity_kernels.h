// CPU kernels of ops that hand their input on, and the dtypes they take on GPUs.
#pragma once

#include "headrace/kernel/kernel.h"
#include "headrace/ops/array/device_types.h"

namespace headrace {

inline constexpr DTypeSet kForwardedOnGpu = kGpuNumberTypes | DTypeSet(DType::kVariant);
inline constexpr DTypeSet kForwardedOnHost{DType::kInt32, DType::kBool, DType::kString,
                                           DType::kResource};

// Output 0 is input 0, shared.
StatusOr<std::unique_ptr<Kernel>> MakeIdentityCpu(const KernelInit& init);
// The same; InvalidArgument when the input's shape is not what the graph was built for.
StatusOr<std::unique_ptr<Kernel>> MakeStatedShapeCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeIdentityNCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSnapshotCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeEnsureShapeCpu(const KernelInit& init);
// Output 0 is the variable of ref input 0.
StatusOr<std::unique_ptr<Kernel>> MakeRefIdentityCpu(const KernelInit& init);

}  // namespace headrace
