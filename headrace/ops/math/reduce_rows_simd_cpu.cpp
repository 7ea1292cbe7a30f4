// Reductions of real numbers and bools, for each instruction set.
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

ReduceRows FindRows(std::string_view op, DType type) {
  constexpr DTypeSet kTypes = kCpuRealTypes;
  if (op == "Sum") return FindLoops<Sum, kTypes>(type);
  if (op == "Mean") return FindMeanLoops<kTypes>(type);
  if (op == "EuclideanNorm") return FindNormLoops<kTypes>(type);
  if (op == "Prod") return FindLoops<Prod, kTypes>(type);
  if (op == "Max") return FindLoops<Max, kTypes>(type);
  if (op == "Min") return FindLoops<Min, kTypes>(type);
  if (op == "All") return FindLoops<All, kOnlyBool>(type);
  if (op == "Any") return FindLoops<Any, kOnlyBool>(type);
  return {};
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {
HWY_EXPORT(FindRows);
}  // namespace

ReduceRows FindSimdReduceRows(std::string_view op, DType type) {
  return HWY_DYNAMIC_DISPATCH(FindRows)(op, type);
}

}  // namespace headrace
#endif
