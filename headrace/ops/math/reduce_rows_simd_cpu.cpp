// Reductions of float32 and float64, for each instruction set.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/math/reduce_rows_simd_cpu.cpp"
#include "hwy/foreach_target.h"  // must come first

#include "headrace/ops/math/reduce_rows_inl.h"
#include "headrace/ops/math/type_sets.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

ReduceRows FindFloatRows(std::string_view op, DType type) {
  if (op == "Sum") return FindLoops<Sum, kFloat32And64>(type);
  if (op == "Mean") return FindMeanLoops<kFloat32And64>(type);
  if (op == "EuclideanNorm") return FindNormLoops<kFloat32And64>(type);
  if (op == "Prod") return FindLoops<Prod, kFloat32And64>(type);
  if (op == "Max") return FindLoops<Max, kFloat32And64>(type);
  if (op == "Min") return FindLoops<Min, kFloat32And64>(type);
  return {};
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {
HWY_EXPORT(FindFloatRows);
}  // namespace

ReduceRows FindSimdReduceRows(std::string_view op, DType type) {
  return HWY_DYNAMIC_DISPATCH(FindFloatRows)(op, type);
}

}  // namespace headrace
#endif
