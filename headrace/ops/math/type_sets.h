// Dtype sets of math ops, as TensorFlow 1.15 has them: what a type attribute allows, what CPU and
// GPU kernels take.
#pragma once

#include "headrace/tensor/dtype.h"

namespace headrace {

inline constexpr DTypeSet kOnlyInt32{DType::kInt32};
inline constexpr DTypeSet kOnlyBool{DType::kBool};
inline constexpr DTypeSet kOnlyString{DType::kString};
inline constexpr DTypeSet kOnlyBFloat16{DType::kBFloat16};
inline constexpr DTypeSet kSignedIndex{DType::kInt32, DType::kInt64};
inline constexpr DTypeSet kFloat32And64{DType::kFloat32, DType::kFloat64};
inline constexpr DTypeSet kIeeeFloats{DType::kFloat16, DType::kFloat32,
                                      DType::kFloat64};  // without bfloat16
inline constexpr DTypeSet kIeeeAndComplex = kIeeeFloats | kComplexTypes;
inline constexpr DTypeSet kFloatsAndComplex = kFloatTypes | kComplexTypes;
inline constexpr DTypeSet kFloatsIndexComplex = kFloatsAndComplex | kSignedIndex;
inline constexpr DTypeSet kIeeeIndexComplex = kIeeeAndComplex | kSignedIndex;
inline constexpr DTypeSet kShortInts{DType::kInt8, DType::kInt16, DType::kUInt8, DType::kUInt16};
inline constexpr DTypeSet kGpuFloatsAndInt64 = kGpuFloatTypes | DTypeSet(DType::kInt64);
inline constexpr DTypeSet kGpuFloatsAndComplex = kGpuFloatTypes | kComplexTypes;
// Real numbers that CPU kernels commonly take: no unsigned ones of 32 and 64 bits.
inline constexpr DTypeSet kCpuRealTypes = kRealTypes - DTypeSet{DType::kUInt32, DType::kUInt64};
inline constexpr DTypeSet kCpuNumberTypes = kCpuRealTypes | kComplexTypes;
// The "numbertype" of attributes: with quantized types, for which there are no kernels.
inline constexpr DTypeSet kAttrNumberTypes =
    kNumberTypes | DTypeSet{DType::kQInt8, DType::kQUInt8, DType::kQInt32};

}  // namespace headrace
