// CPU kernels of bitwise.cpp that are not element-wise functions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeCompareAndBitpackCpu(const KernelInit& init);

inline constexpr DTypeSet kPackedTypes{DType::kBool,    DType::kFloat16, DType::kFloat32,
                                       DType::kFloat64, DType::kInt8,    DType::kInt16,
                                       DType::kInt32,   DType::kInt64};

}  // namespace headrace
