// Dtype sets of linear-algebra ops, as TensorFlow 1.15 has them, for their definitions.
#pragma once

#include "headrace/ops/math/type_sets.h"

namespace headrace {

// What a decomposition computes in; attributes of most allow float16 too, for which there is no
// kernel.
inline constexpr DTypeSet kLinalgTypes = kFloat32And64 | kComplexTypes;
inline constexpr DTypeSet kLinalgAttrTypes = kLinalgTypes | DTypeSet(DType::kFloat16);
// What ops that only move elements about take: CPU kernels and GPU kernels.
inline constexpr DTypeSet kMatrixMovedTypes = kCpuNumberTypes | kOnlyBool;
inline constexpr DTypeSet kGpuMatrixMovedTypes = kGpuFloatsAndComplex | kOnlyBool;

}  // namespace headrace
