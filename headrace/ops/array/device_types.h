// Dtypes of the GPU kernels of ops that move elements about, for op definitions. Integers that the
// host reads (int32 by TensorFlow's habit) have entries of their own whose arguments all stay in
// host memory.
#pragma once

#include "headrace/tensor/dtype.h"

namespace headrace {

inline constexpr DTypeSet kInt32Only{DType::kInt32};
inline constexpr DTypeSet kStringOnly{DType::kString};
inline constexpr DTypeSet kBoolOnly{DType::kBool};
// Numbers but int32, which GPU kernels leave to the host.
inline constexpr DTypeSet kGpuNumberTypes =
    (kNumberTypes - kInt32Only) - DTypeSet{DType::kUInt32, DType::kUInt64};
inline constexpr DTypeSet kGpuMovedTypes = kGpuNumberTypes | kBoolOnly;
// Numbers that CPU kernels of TensorFlow 1 commonly take: without unsigned 32 and 64 bits.
inline constexpr DTypeSet kCommonNumberTypes =
    kNumberTypes - DTypeSet{DType::kUInt32, DType::kUInt64};
// What CPU kernels that only move elements take.
inline constexpr DTypeSet kMovedTypes = kAllTypes - DTypeSet(DType::kVariant);

}  // namespace headrace
